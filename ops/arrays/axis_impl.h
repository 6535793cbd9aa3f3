/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What operations along one axis share. */
#ifndef GREBE_OPS_ARRAYS_AXIS_IMPL_H
#define GREBE_OPS_ARRAYS_AXIS_IMPL_H

#include "core/op.h"

/* The axis from 0 on; −1 and an error "WHO: …" if it is not one of x. */
int gb_axis_from_front(gb_node x, const char *who, int axis);

/* The set of axes as bits; an error (and false) where the list does not fit the shape. */
bool gb_axis_bits(gb_node x, const char *who, gb_axis_list axes, uint32_t *bits);

/* For `infer` of operations on an array and an index: an index known at recording is in range. */
bool gb_index_in_range(const gb_infer *infer, int64_t size);

/* An array seen along one axis: element i of line (o, j) is number (o · size + i) · inner + j. */
typedef struct gb_lines {
    int64_t outer, size, inner;
} gb_lines;

gb_lines gb_lines_along(const gb_shape *shape, int64_t axis);

/* Calls `each` for the place of the first element of every line; the others follow in steps of `inner`. */
typedef void gb_line_function(const gb_kernel_call *call, const gb_lines *lines, int64_t line, int64_t first,
                              const void *const *in, void *out);
void gb_each_line(const gb_kernel_call *call, const gb_lines *lines, const void *const *in, void *out,
                  gb_line_function *each);

/* Makes the kernel's result 0, or −0: any number added to −0 stays as it is, a zero of either sign too. */
void gb_fill_zeros(const gb_kernel_call *call, bool negative);

#endif
