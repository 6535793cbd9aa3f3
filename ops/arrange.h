/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More operations that arrange elements, and arrays of numbers for them. Axes count from 0, or from −1
 * backwards. Each function returns an inert node on error. */
#ifndef GREBE_OPS_ARRANGE_H
#define GREBE_OPS_ARRANGE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Inserts an axis of size 1, which becomes axis number `axis`: gb_expand(x, 0) is (1, …), gb_expand(x, -1) is
 * (…, 1). */
GB_API gb_node gb_expand(gb_node x, int axis);

/* Removes an axis of size 1. Fails if it has another size. */
GB_API gb_node gb_squeeze(gb_node x, int axis);

/* Reverses the elements along an axis. */
GB_API gb_node gb_flip(gb_node x, int axis);

/* Repeats each element along an axis `times` times (≥ 0): 1, 2 becomes 1, 1, 2, 2. */
GB_API gb_node gb_repeat(gb_node x, int axis, int64_t times);

/* Joins `count` arrays of one shape along a new axis: gb_stack(2, parts, 0) is (2, …). */
GB_API gb_node gb_stack(size_t count, const gb_node *parts, int axis);

/* Returns 0, 1 … n − 1, as reals. */
GB_API gb_node gb_arange(gb_tape *tape, int64_t n);

/* Returns the identity matrix of shape (n, n). */
GB_API gb_node gb_eye(gb_tape *tape, int64_t n);

/* Converts integers (…) to reals (…, size): 1 at the place that the integer names, 0 elsewhere. A constant
 * integer outside 0 … size − 1 is an error. One from an input makes its places NaN, and a run that uses them
 * fails. */
GB_API gb_node gb_one_hot(gb_node index, int64_t size);

GB_END_DECLS
#endif
