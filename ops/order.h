/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places and orders of elements. Axes count from 0, or from −1 backwards. NaN is larger than any number. Results of
 * integers have no gradient. Each function returns an inert node on error. */
#ifndef GREBE_OPS_ORDER_H
#define GREBE_OPS_ORDER_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Where the largest element along an axis is: integers, without the axis. The first of equals, the first NaN if there
 * is one. Of an empty axis an error. */
GB_API gb_node gb_argmax(gb_node x, int axis);

/* The places of the elements along an axis in ascending order: integers. Equals stay in their order. */
GB_API gb_node gb_argsort(gb_node x, int axis);

/* The elements along an axis in ascending order, NaN last. The gradient goes back to where the elements came from. */
GB_API gb_node gb_sort(gb_node x, int axis);

GB_END_DECLS
#endif
