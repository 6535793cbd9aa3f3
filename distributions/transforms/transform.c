/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public functions of a transform. */
#include "distributions/transforms/transform_impl.h"

#include <string.h>

#include "distributions/domain.h"

bool gb_transform_ok(gb_transform t)
{
    return t.type && t.tape && gb_error(t.tape) == GB_OK;
}

gb_node gb_transform_forward(gb_transform t, gb_node x)
{
    return gb_transform_ok(t) ? t.type->forward(&t, x) : (gb_node){0};
}

gb_node gb_transform_inverse(gb_transform t, gb_node y)
{
    return gb_transform_ok(t) ? t.type->inverse(&t, y) : (gb_node){0};
}

gb_node gb_transform_log_jacobian(gb_transform t, gb_node x, gb_node y)
{
    return gb_transform_ok(t) ? t.type->log_jacobian(&t, x, y) : (gb_node){0};
}

gb_shape gb_transform_shape(gb_transform t, gb_shape x)
{
    if (!gb_transform_ok(t) || x.rank < gb_transform_from(t)->event_rank)
        return (gb_shape){.rank = -1};
    return GB_HAS(t.type, shape) ? t.type->shape(&t, x) : x;
}

gb_shape gb_transform_inverse_shape(gb_transform t, gb_shape y)
{
    if (!gb_transform_ok(t) || y.rank < gb_transform_to(t)->event_rank)
        return (gb_shape){.rank = -1};
    return GB_HAS(t.type, inverse_shape) ? t.type->inverse_shape(&t, y) : y;
}

const gb_domain *gb_transform_from(gb_transform t)
{
    return GB_HAS(t.type, from_of) ? t.type->from_of(&t) : t.type->from;
}

const gb_domain *gb_transform_to(gb_transform t)
{
    return GB_HAS(t.type, to_of) ? t.type->to_of(&t) : t.type->to;
}

gb_node gb_transform_increases(gb_transform t)
{
    return gb_transform_ok(t) && GB_HAS(t.type, increases) ? t.type->increases(&t) : (gb_node){0};
}

gb_axes gb_transform_axes(gb_transform t)
{
    gb_axes axes = 0;
    for (size_t i = 0; gb_transform_ok(t) && i < 2; i++)
        axes |= gb_node_ok(t.param[i]) ? gb_node_axes(t.param[i]) : 0;
    axes |= t.inner ? gb_transform_axes(*t.inner) : 0;
    return axes | (t.outer ? gb_transform_axes(*t.outer) : 0);
}

static bool same_parts(const gb_transform *a, const gb_transform *b)
{
    return (!a && !b) || (a && b && gb_transform_same(*a, *b));
}

/* Whether both are the same node, or the same number. */
static bool same_param(gb_node a, gb_node b)
{
    double x, y;
    return gb_node_same(a, b) || (gb_is_uniform(a, &x) && gb_is_uniform(b, &y) && x == y);
}

bool gb_transform_same(gb_transform a, gb_transform b)
{
    if (!gb_transform_ok(a) || !gb_transform_ok(b) || a.type != b.type || a.count != b.count)
        return false;
    for (size_t i = 0; i < 2; i++)
        if (gb_node_ok(a.param[i]) && !same_param(a.param[i], b.param[i]))
            return false;
    if (a.order && memcmp(a.order, b.order, (size_t)a.count * sizeof *a.order) != 0)
        return false;
    return same_parts(a.inner, b.inner) && same_parts(a.outer, b.outer);
}

/* ---- for transforms ---- */

gb_transform gb_transform_of_tape(const gb_transform_type *type, gb_tape *tape)
{
    return tape ? (gb_transform){.type = type, .tape = tape} : (gb_transform){0};
}

gb_node gb_keeps_volume(const gb_transform *t, gb_node x, gb_node y)
{
    (void)x, (void)y;
    return gb_num(t->tape, 0);
}
