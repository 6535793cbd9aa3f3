/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that move elements about. Axes count from 0, or from −1 backwards. */
#ifndef GREBE_OPS_ARRAY_H
#define GREBE_OPS_ARRAY_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* The same elements in the same order, under another shape with as many of them. */
GB_API gb_node gb_reshape(gb_node x, gb_shape shape);

/* The axes in another order: gb_transpose(x, gb_axis(1, 0)). gb_axis() reverses them. */
GB_API gb_node gb_transpose(gb_node x, gb_axis_list order);

/* x repeated to a shape that it broadcasts to (NumPy's rule). */
GB_API gb_node gb_broadcast(gb_node x, gb_shape shape);

/* Elements begin … end − 1 along an axis; negative places count from the end. Out of range is an error.
 * gb_slice_step takes every step-th of them (step ≥ 1). */
GB_API gb_node gb_slice(gb_node x, int axis, int64_t begin, int64_t end);
GB_API gb_node gb_slice_step(gb_node x, int axis, int64_t begin, int64_t end, int64_t step);

/* Several arrays one after the other along an axis; the other axes must agree. */
GB_API gb_node gb_concat(size_t count, const gb_node *parts, int axis);

/* Slices of x by number: the axis is replaced by the shape of `index` (integers). An index that is out of range is
 * an error where it is a constant; where it comes from an input, the result is NaN there, and the run refuses it. */
GB_API gb_node gb_gather(gb_node x, int axis, gb_node index);

/* The other way round: zeros, of `size` places along `axis`, to which the slices of x are added at the places that
 * `index` says. x has the shape of `index` where the result has the axis. */
GB_API gb_node gb_scatter_add(gb_node x, int axis, gb_node index, int64_t size);

/* Between visible and hidden axes. gb_hide makes the first axis of x a hidden one: samples, rows or a site's, whose
 * size must be the axis' (an error of the run, where that is not known before). gb_reveal makes a site's hidden axis
 * the first visible one. */
GB_API gb_node gb_hide(gb_node x, gb_axes axis);
GB_API gb_node gb_reveal(gb_node x, gb_axes axis);

GB_END_DECLS
#endif
