/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions and orders of elements. Axes count from 0, or from −1 backwards. NaN is larger than any number.
 * Integer results have no gradient. Each function returns an inert node on error. */
#ifndef GREBE_OPS_ORDER_H
#define GREBE_OPS_ORDER_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Returns the index of the largest element along an axis, as integers, without that axis. Of equal elements
 * the first counts; a NaN counts as the largest. An empty axis is an error. */
GB_API gb_node gb_argmax(gb_node x, int axis);

/* Returns the indices that sort the elements along an axis in ascending order, as integers. Equal elements
 * keep their order. */
GB_API gb_node gb_argsort(gb_node x, int axis);

/* Sorts the elements along an axis in ascending order, NaN last. The gradient goes back to the original
 * places. */
GB_API gb_node gb_sort(gb_node x, int axis);

GB_END_DECLS
#endif
