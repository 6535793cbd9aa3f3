/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More ways to arrange elements, and arrays of numbers to do it with. Axes count from 0, or from −1 backwards. Each
 * function returns an inert node on error. */
#ifndef GREBE_OPS_ARRANGE_H
#define GREBE_OPS_ARRANGE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* x with a new axis of size 1, which is then axis number `axis`: gb_expand(x, 0) is (1, …), gb_expand(x, -1) (…, 1). */
GB_API gb_node gb_expand(gb_node x, int axis);

/* x without an axis of size 1. Of another size an error. */
GB_API gb_node gb_squeeze(gb_node x, int axis);

/* The elements along an axis in the other direction. */
GB_API gb_node gb_flip(gb_node x, int axis);

/* Each element along an axis `times` times (≥ 0) one after the other: 1, 2 becomes 1, 1, 2, 2. */
GB_API gb_node gb_repeat(gb_node x, int axis, int64_t times);

/* Arrays of one shape, side by side along a new axis: gb_stack(2, parts, 0) is (2, …). */
GB_API gb_node gb_stack(size_t count, const gb_node *parts, int axis);

/* 0, 1 … n − 1, as reals. */
GB_API gb_node gb_arange(gb_tape *tape, int64_t n);

/* (n, n): 1 on the diagonal, else 0. */
GB_API gb_node gb_eye(gb_tape *tape, int64_t n);

/* Integers (…) to reals (…, size): 1 at the place that the integer says, else 0. An integer that is no place is an
 * error where it is a constant; where it comes from an input, its places are NaN, and the run refuses them. */
GB_API gb_node gb_one_hot(gb_node index, int64_t size);

GB_END_DECLS
#endif
