/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cumulative sums, and products. Axes count from 0, or from −1 backwards. Each function returns an inert node
 * on error. */
#ifndef GREBE_OPS_SCAN_H
#define GREBE_OPS_SCAN_H

#include "../core/gradient.h"
#include "../core/op.h"
#include "../core/options.h"

GB_BEGIN_DECLS

typedef struct gb_cumsum_options {
    size_t size;
    bool reverse;   /* sum from the last element to the first */
    bool exclusive; /* leave out the element itself, so that the first sum is 0 */
} gb_cumsum_options;

/* x1, x1 + x2, … along an axis, added in double: gb_cumsum(x, -1), gb_cumsum(x, 0, .exclusive = true). */
#define gb_cumsum(...) GB_CALL_2(gb_cumsum, __VA_ARGS__, .size = sizeof(gb_cumsum_options))
GB_API gb_node gb_cumsum_with(gb_node x, int axis, const gb_cumsum_options *options);

/* The product of all elements, or along the given axes (gb_axis(0, -1)), which go away. The product of no
 * elements is 1. Elements are multiplied in pairs, so that gradients of every order are right where elements
 * are 0. */
GB_API gb_node gb_prod(gb_node x);
GB_API gb_node gb_prod_along(gb_node x, gb_axis_list axes);

GB_END_DECLS
#endif
