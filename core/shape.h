/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes, element types, and the hidden axes.
 *
 * A node has a *shape*, which the code that records it sees, and a set of *hidden axes*, which it does not: the
 * samples of an expectation, the evaluations that a stochastic site asks for, the rows of the data. A model is
 * written for one draw and one datum; what depends on a draw carries the samples, what depends on a datum carries
 * the rows, and no ordinary operation mixes them. In memory hidden axes come first: samples, sites, rows, shape. */
#ifndef GREBE_CORE_SHAPE_H
#define GREBE_CORE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"

GB_BEGIN_DECLS

enum { GB_MAX_RANK = 6 };

/* The sizes of the visible axes, the last one contiguous in memory. Sizes may be 0 or 1. */
typedef struct gb_shape {
    int rank; /* 0: a scalar; -1: an invalid shape, which every function refuses */
    int64_t size[GB_MAX_RANK];
} gb_shape;

/* gb_shape(), gb_shape(3), gb_shape(2, 3): a scalar, a vector, a matrix. From C++ call gb_shape_of. */
#define gb_shape(...)                                                                                        \
    gb_shape_of((int)(sizeof((const int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1,                      \
                (const int64_t[]){0, __VA_ARGS__} + 1)

/* `rank` sizes. A rank outside 0…6, a negative size, or more than PTRDIFF_MAX/64 elements make the shape invalid:
 * the call that is given it then says what is wrong. */
GB_API gb_shape gb_shape_of(int rank, const int64_t *sizes);

/* The number of elements; 0 for an invalid shape. */
GB_API size_t gb_shape_count(gb_shape shape);

/* One size, and the shape with another one; axes count from 0, or from −1 backwards. Where there is no such axis (as in the
 * shape of an inert node): 0, and the shape as it is. */
GB_API int64_t gb_shape_size(gb_shape shape, int axis);
GB_API gb_shape gb_shape_replace(gb_shape shape, int axis, int64_t size);

/* The axes of one and then of the other; rank −1 where they are too many, or one of them is none. */
GB_API gb_shape gb_shape_join(gb_shape a, gb_shape b);

GB_API bool gb_shape_same(gb_shape a, gb_shape b);

/* The shape with zeros beyond its sizes and between its members: for the attributes of an operation, which are compared as
 * bytes. */
GB_API void gb_shape_copy(gb_shape *to, gb_shape shape);

/* NumPy's rule: aligned at the last axis, sizes are equal or one of them is 1. False where they do not fit. */
GB_API bool gb_shape_broadcast(gb_shape a, gb_shape b, gb_shape *out);

enum { GB_SHAPE_TEXT = 160 };

/* "(2×3)", "()" for a scalar. Writes at most GB_SHAPE_TEXT bytes to `text` and returns it. */
GB_API const char *gb_shape_text(gb_shape shape, char text[GB_SHAPE_TEXT]);

/* The real numbers of a tape. */
typedef enum gb_real { GB_DOUBLE, GB_FLOAT } gb_real;

/* What the elements are. Integers and booleans are as wide as the tape's reals. */
typedef enum gb_type { GB_TYPE_REAL, GB_TYPE_INT, GB_TYPE_BOOL } gb_type;

/* A set of hidden axes, one bit each, in the order of memory: samples, sites, rows. */
typedef uint64_t gb_axes;
#define GB_SAMPLES ((gb_axes)1)
#define GB_ROWS ((gb_axes)1 << 63)

/* How many axes a set has. */
GB_API int gb_axes_count(gb_axes axes);

enum { GB_MAX_HIDDEN = 10 }; /* the most hidden axes that one node may carry */

/* A list of visible axes: gb_axis(0, 1), gb_axis(-1) for the last. */
typedef struct gb_axis_list {
    int count;
    int axis[GB_MAX_RANK];
} gb_axis_list;

#define gb_axis(...)                                                                                         \
    gb_axis_of((int)(sizeof((const int[]){0, __VA_ARGS__}) / sizeof(int)) - 1,                               \
               (const int[]){0, __VA_ARGS__} + 1)
GB_API gb_axis_list gb_axis_of(int count, const int *axes);

GB_END_DECLS
#endif
