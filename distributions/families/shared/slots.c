/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/slots_impl.h"

#include <string.h>

#include "distributions/law/own_draw_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"

gb_node gb_first_parameter(const gb_dist *d)
{
    return d->param[0];
}

gb_node gb_always_zero(const gb_dist *d)
{
    return gb_num(d->tape, 0);
}

bool gb_same_event(const gb_dist *q, const gb_dist *p)
{
    return gb_shape_same(gb_dist_event_shape(*q), gb_dist_event_shape(*p));
}

gb_node gb_standard_of(const gb_dist *d, gb_node x, gb_node loc, gb_node scale)
{
    bool held;
    const gb_node z = gb_source_of(d, x, &held);
    if (!gb_node_ok(z))
        return gb_div(gb_sub(x, loc), scale);
    return held ? gb_standard_at(z, x, loc, scale) : z;
}

gb_node gb_of_standard(const gb_dist *d, gb_node z, gb_node loc, gb_node scale)
{
    return gb_drawn(d, gb_add(loc, gb_mul(scale, z)), z);
}

gb_node gb_to_standard(const gb_dist *d, gb_node x)
{
    return gb_standard_of(d, x, d->param[0], d->param[1]);
}

gb_node gb_from_standard(const gb_dist *d, gb_node z)
{
    return gb_of_standard(d, z, d->param[0], d->param[1]);
}

static gb_dist around_minus_loc(const gb_dist *d)
{
    gb_dist mirrored = *d;
    size_t loc = 0;
    while (strcmp(d->type->param[loc].name, "loc") != 0)
        loc++;
    mirrored.param[loc] = gb_neg(d->param[loc]);
    return mirrored;
}

gb_node gb_symmetric_survival(const gb_dist *d, gb_node x)
{
    const gb_dist mirrored = around_minus_loc(d);
    return gb_cdf(mirrored, gb_neg(x));
}

gb_node gb_symmetric_inverse_survival(const gb_dist *d, gb_node q)
{
    const gb_dist mirrored = around_minus_loc(d);
    return gb_neg(gb_icdf(mirrored, q));
}

gb_node gb_part(gb_node a, gb_node b)
{
    const gb_node sum = gb_add(a, b), part = gb_stop(gb_div(a, sum));
    const gb_node in_a = gb_div(gb_div(b, sum), sum), in_b = gb_neg(gb_div(gb_div(a, sum), sum));
    return gb_inject(gb_inject(part, a, in_a), b, in_b);
}

gb_node gb_where_above(gb_node parameter, double limit, gb_node value, double otherwise)
{
    return gb_where(gb_greater(parameter, gb_num(parameter.tape, limit)), value,
                    gb_num(parameter.tape, otherwise));
}
