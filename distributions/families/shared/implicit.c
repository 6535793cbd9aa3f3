/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/implicit_impl.h"

#include "ops/control.h"
#include "ops/draws.h"
#include "ops/special.h"

gb_node gb_implicit_draw(gb_node draw, size_t count, const gb_node *param, const gb_node *slope)
{
    gb_node x = gb_stop(draw);
    for (size_t i = 0; i < count; i++)
        x = gb_inject(x, param[i], slope[i]);
    return x;
}

gb_node gb_log_gamma_draw(const gb_source *from, gb_node concentration)
{
    const gb_node log_x = gb_log_gamma_noise(from->noise, from->shape, from->axes, concentration);
    const gb_node slope = gb_gamma_draw_slope(concentration, log_x);
    return gb_implicit_draw(log_x, 1, &concentration, &slope);
}
