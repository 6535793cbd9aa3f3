/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers of operations along one axis. */
#ifndef GREBE_OPS_ARRAYS_AXIS_IMPL_H
#define GREBE_OPS_ARRAYS_AXIS_IMPL_H

#include "core/op.h"

/* Returns the number of an axis, counted from 0. If x has no such axis: −1, and the error "WHO: …". */
int gb_axis_from_front(gb_node x, const char *who, int axis);

/* Stores a list of axes as bits. Returns false, with an error, if the list does not fit the shape of x. */
bool gb_axis_bits(gb_node x, const char *who, gb_axis_list axes, uint32_t *bits);

/* Returns x, widened along the samples if they are among `axes` and x depends on an open draw. A draw may be
 * represented by weighted values, without an axis of samples. An operation along the samples of such a draw
 * must be recorded, not left out as for constants: the samples of the draw are not all the same. Fails, and
 * returns an inert node, in the step of a scan, where x may come to vary along axes that it lacks. */
gb_node gb_as_drawn(gb_node x, gb_axes axes);

/* For the `infer` of operations on an array and an index: checks that an index known at recording is in
 * range. */
bool gb_index_in_range(const gb_infer *infer, int64_t size);

/* An array as lines along one axis: element i of line (o, j) is at (o · size + i) · inner + j. */
typedef struct gb_lines {
    int64_t outer, size, inner;
} gb_lines;

gb_lines gb_lines_along(const gb_shape *shape, int64_t axis);

/* Calls `each` for every line, with the place of its first element; the others follow in steps of `inner`. */
typedef void gb_line_function(const gb_kernel_call *call, const gb_lines *lines, int64_t line, int64_t first,
                              const void *const *in, void *out);
void gb_each_line(const gb_kernel_call *call, const gb_lines *lines, const void *const *in, void *out,
                  gb_line_function *each);

/* gb_slice along the first axis, without a copy: where x was put together of parts, by concat or as the
 * adjoint of slices, the part is returned, or zeros where there is none. The hidden axes are those of x. */
gb_node gb_slice_of_parts(gb_node x, int64_t begin, int64_t end);

extern const gb_op gb_reshape_op;

/* Fills the kernel's result with 0, or with −0. Adding a number to −0 gives that number, also if it is a
 * zero. */
void gb_fill_zeros(const gb_kernel_call *call, bool negative);

#endif
