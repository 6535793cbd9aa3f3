/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running sums, and products. Axes count from 0, or from −1 backwards. */
#ifndef GREBE_OPS_SCAN_H
#define GREBE_OPS_SCAN_H

#include "../core/gradient.h"
#include "../core/op.h"
#include "../core/options.h"

GB_BEGIN_DECLS

typedef struct gb_cumsum_options {
    size_t size;
    bool reverse;   /* from the last element to the first */
    bool exclusive; /* without the element itself: the first is 0 */
} gb_cumsum_options;

/* x1, x1 + x2, … along an axis, added in double: gb_cumsum(x, -1), gb_cumsum(x, 0, .exclusive = true). An inert node on
 * error. */
#define gb_cumsum(...) GB_CALL_2(gb_cumsum, __VA_ARGS__, .size = sizeof(gb_cumsum_options))
GB_API gb_node gb_cumsum_with(gb_node x, int axis, const gb_cumsum_options *options);

/* The product of all elements, or of those along the axes (gb_axis(0, -1)), which go away; of nothing 1. Multiplied in
 * pairs, so that gradients of every order are right where elements are 0 too. */
GB_API gb_node gb_prod(gb_node x);
GB_API gb_node gb_prod_along(gb_node x, gb_axis_list axes);

GB_END_DECLS
#endif
