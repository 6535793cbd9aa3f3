/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that move elements. Axes count from 0, or from −1 backwards. Each function returns an inert node
 * on error. */
#ifndef GREBE_OPS_ARRAY_H
#define GREBE_OPS_ARRAY_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Returns the same elements in the same order with another shape. Fails unless that has as many elements. */
GB_API gb_node gb_reshape(gb_node x, gb_shape shape);

/* Permutes the axes: axis i of the result is axis order[i] of x, as in gb_transpose(x, gb_axis(1, 0)). An
 * empty list, gb_axis(), reverses them. */
GB_API gb_node gb_transpose(gb_node x, gb_axis_list order);

/* Repeats x to a shape that it broadcasts to (NumPy's rule). */
GB_API gb_node gb_broadcast(gb_node x, gb_shape shape);

/* Returns elements begin … end − 1 along an axis; negative numbers count from the end. gb_slice_step takes
 * every step-th of them (step ≥ 1). Fails if a number is out of range. */
GB_API gb_node gb_slice(gb_node x, int axis, int64_t begin, int64_t end);
GB_API gb_node gb_slice_step(gb_node x, int axis, int64_t begin, int64_t end, int64_t step);

/* gb_at(x, i) is x[i]: element or row i of the first axis, without that axis. Further numbers index further
 * axes: gb_at(x, i, j). Negative numbers count from the end. Fails if there are more numbers than axes, or if
 * one is out of range. C++ calls gb_at_of. */
#define gb_at(x, ...)                                                                                        \
    gb_at_of((x), (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                           \
             (const int64_t[]){__VA_ARGS__})
/* The same with `count` numbers; with none it returns x. Also fails if `place` is NULL but needed. */
GB_API gb_node gb_at_of(gb_node x, int count, const int64_t *place);

/* Concatenates `count` arrays along an axis. Their other axes must agree. */
GB_API gb_node gb_concat(size_t count, const gb_node *parts, int axis);

/* Selects slices of x along `axis` by `index` (integers). In the result the shape of `index` replaces that
 * axis. A constant index out of range is an error. One from an input makes its slice NaN, and a run that uses
 * it fails. */
GB_API gb_node gb_gather(gb_node x, int axis, gb_node index);

/* The reverse of gb_gather: adds the slices of x to zeros with `size` places along `axis`, at the places that
 * `index` names. x has the shape of `index` where the result has the axis. */
GB_API gb_node gb_scatter_add(gb_node x, int axis, gb_node index, int64_t size);

/* Conversion between visible and hidden axes. gb_hide turns the first axis of x into a hidden one: samples,
 * rows or a site's. The sizes must be equal; a run checks it if the size of the hidden axis is not known
 * before. gb_reveal turns a site's hidden axis into the first visible one. */
GB_API gb_node gb_hide(gb_node x, gb_axes axis);
GB_API gb_node gb_reveal(gb_node x, gb_axes axis);
/* Returns whether x is a result of gb_hide, and stores its hidden axis. */
GB_API bool gb_is_hidden(gb_node x, gb_axes *axis);

GB_END_DECLS
#endif
