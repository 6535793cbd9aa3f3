/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/slots_impl.h"

#include "ops/draws.h"
#include "ops/elementwise.h"

gb_node gb_first_parameter(const gb_dist *d)
{
    return d->param[0];
}

gb_node gb_always_zero(const gb_dist *d)
{
    return gb_num(d->tape, 0);
}

gb_node gb_draw_by_quantile(const gb_dist *d, const gb_source *from)
{
    return d->type->icdf(d, gb_uniform_noise(from->noise, from->shape, from->axes));
}

gb_node gb_to_standard(const gb_dist *d, gb_node x)
{
    return gb_div(gb_sub(x, d->param[0]), d->param[1]);
}

gb_node gb_from_standard(const gb_dist *d, gb_node z)
{
    return gb_add(d->param[0], gb_mul(d->param[1], z));
}

gb_node gb_where_above(gb_node parameter, double limit, gb_node value, double otherwise)
{
    return gb_where(gb_greater(parameter, gb_num(parameter.tape, limit)), value,
                    gb_num(parameter.tape, otherwise));
}
