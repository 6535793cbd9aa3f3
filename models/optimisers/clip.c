/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clipping. Values that are not finite stay so, and the run fails as it would without clipping. */
#include "models/optimisers/clip_impl.h"

#include <math.h>

#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node number(gb_node like, double value)
{
    return gb_num(like.tape, value);
}

static gb_node clipped(gb_node gradient, double most)
{
    const gb_node finite = gb_less(gb_abs(gradient), number(gradient, INFINITY));
    return gb_where(finite, gb_clip(gradient, -most, most), gradient);
}

/* The largest absolute element. The norm is computed relative to it, so that squares do not overflow. */
static gb_node largest(size_t count, const gb_node *gradients)
{
    gb_node most = number(gradients[0], 0);
    for (size_t i = 0; i < count; i++)
        if (gb_shape_count(gb_node_shape(gradients[i])) > 0)
            most = gb_max(most, gb_maximum(gb_abs(gradients[i])));
    return most;
}

static gb_node norm(size_t count, const gb_node *gradients)
{
    const gb_node most = largest(count, gradients), none = gb_equal(most, number(most, 0));
    const gb_node unit = gb_where(none, number(most, 1), most);
    gb_node squares = number(most, 0);
    for (size_t i = 0; i < count; i++)
        squares = gb_add(squares, gb_sum(gb_square(gb_div(gradients[i], unit))));
    return gb_mul(unit, gb_sqrt(squares));
}

static void scale_to_norm(double most, size_t count, gb_node *gradients)
{
    const gb_node is = norm(count, gradients), should = number(is, most);
    const gb_node factor = gb_where(gb_less_equal(is, should), number(is, 1), gb_div(should, is));
    for (size_t i = 0; i < count; i++)
        gradients[i] = gb_mul(gradients[i], factor);
}

void gb_clip_gradients(double by_value, double by_norm, size_t count, gb_node *gradients)
{
    for (size_t i = 0; by_value > 0 && i < count; i++)
        gradients[i] = clipped(gradients[i], by_value);
    if (by_norm > 0 && count > 0)
        scale_to_norm(by_norm, count, gradients);
}
