/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/draw_impl.h"

#include <float.h>

#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/special.h"

/* ---- implicit gradients ---- */

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

gb_node gb_scaled_log_gamma_draw(const gb_source *from, gb_node concentration)
{
    const gb_node m = gb_scaled_log_gamma_noise(from->noise, from->shape, from->axes, concentration);
    const gb_node slope = gb_scaled_log_gamma_slope(concentration, m);
    return gb_implicit_draw(m, 1, &concentration, &slope);
}

/* ---- within range ---- */

gb_node gb_positive_draw(gb_node log_x)
{
    const bool is_float = gb_tape_real(log_x.tape) == GB_FLOAT;
    return gb_exp(is_float ? gb_clip(log_x, -87.3, 88.7) : gb_clip(log_x, -708.3, 709.7));
}

gb_node gb_positive_number(gb_node x)
{
    const bool is_float = gb_tape_real(x.tape) == GB_FLOAT;
    return is_float ? gb_clip(x, (double)FLT_MIN, (double)FLT_MAX) : gb_clip(x, DBL_MIN, DBL_MAX);
}

gb_node gb_finite_draw(gb_node x)
{
    const double most = gb_tape_real(x.tape) == GB_FLOAT ? (double)FLT_MAX / 4 : DBL_MAX / 4;
    return gb_clip(x, -most, most);
}

gb_node gb_open_unit_draw(gb_node x)
{
    const bool is_float = gb_tape_real(x.tape) == GB_FLOAT;
    return is_float ? gb_clip(x, (double)FLT_MIN, 1 - (double)FLT_EPSILON / 2)
                    : gb_clip(x, DBL_MIN, 1 - DBL_EPSILON / 2);
}
