/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes, element types and hidden axes.
 *
 * A node has a *shape*, which the code that records it sees, and a set of *hidden axes*, which that code does
 * not see: the samples of an expectation, the evaluations at a *site* (a stochastic choice in the model), the
 * rows of the data. A model is written for one draw and one datum. A node that depends on a draw carries the
 * sample axis, one that depends on a datum carries the row axis. No ordinary operation mixes elements along
 * these axes. In memory hidden axes come first: samples, sites, rows, shape. */
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
    /* 0 for a scalar; -1 for an invalid shape, which every function rejects, as it does any other rank. */
    int rank;
    int64_t size[GB_MAX_RANK];
} gb_shape;

/* gb_shape() is a scalar, gb_shape(3) a vector, gb_shape(2, 3) a matrix. C++ calls gb_shape_of. */
#define gb_shape(...)                                                                                        \
    gb_shape_of((int)(sizeof((const int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1,                      \
                (const int64_t[]){0, __VA_ARGS__} + 1)

/* Returns the shape with these `rank` sizes. It is invalid if the rank is outside 0…6, a size is negative,
 * `sizes` is NULL but needed, or there are more than PTRDIFF_MAX/64 elements. The function that takes an
 * invalid shape reports the error. */
GB_API gb_shape gb_shape_of(int rank, const int64_t *sizes);

/* Returns the number of elements; 0 for an invalid shape. */
GB_API size_t gb_shape_count(gb_shape shape);

/* Returns the size of one axis, and the shape with that size replaced. Axes count from 0, or from −1
 * backwards. If there is no such axis (as in the shape of an inert node), the size is 0 and the shape is
 * returned unchanged. */
GB_API int64_t gb_shape_size(gb_shape shape, int axis);
GB_API gb_shape gb_shape_replace(gb_shape shape, int axis, int64_t size);

/* Returns the shape with the axes of a, then those of b. It is invalid if there are too many, or if a or b is
 * invalid. */
GB_API gb_shape gb_shape_join(gb_shape a, gb_shape b);

/* Returns whether two shapes are equal. */
GB_API bool gb_shape_same(gb_shape a, gb_shape b);

/* Copies a shape and sets its padding and unused sizes to 0. For the attributes of an operation, which are
 * compared as bytes. */
GB_API void gb_shape_copy(gb_shape *to, gb_shape shape);

/* Stores in `out` the shape to which a and b broadcast. NumPy's rule: aligned at the last axis, sizes are
 * equal or one of them is 1. Returns false if they do not fit. */
GB_API bool gb_shape_broadcast(gb_shape a, gb_shape b, gb_shape *out);

enum { GB_SHAPE_TEXT = 160 };

/* Writes "(2×3)", or "()" for a scalar, to `text` and returns it. At most GB_SHAPE_TEXT bytes. */
GB_API const char *gb_shape_text(gb_shape shape, char text[GB_SHAPE_TEXT]);

/* The type of a tape's reals. */
typedef enum gb_real { GB_DOUBLE, GB_FLOAT } gb_real;

/* The type of a node's elements. Integers and booleans are as wide as the tape's reals. */
typedef enum gb_type { GB_TYPE_REAL, GB_TYPE_INT, GB_TYPE_BOOL } gb_type;

/* A set of hidden axes, one bit each, in the order of memory: samples, sites, rows. Join sets by |. */
typedef uint64_t gb_axes;
#define GB_SAMPLES ((gb_axes)1)
#define GB_ROWS ((gb_axes)1 << 63)

/* Returns the number of axes in a set. */
GB_API int gb_axes_count(gb_axes axes);

enum { GB_MAX_HIDDEN = 10 }; /* the largest number of hidden axes of a node */

/* A list of visible axes: gb_axis(0, 1), or gb_axis(-1) for the last one. */
typedef struct gb_axis_list {
    int count;
    int axis[GB_MAX_RANK];
} gb_axis_list;

/* A list of axes, from arguments. */
#define gb_axis(...)                                                                                         \
    gb_axis_of((int)(sizeof((const int[]){0, __VA_ARGS__}) / sizeof(int)) - 1,                               \
               (const int[]){0, __VA_ARGS__} + 1)
/* The list is invalid, which the function that takes it reports, if `count` is outside 0…6, or if `axes` is
 * NULL but needed. */
GB_API gb_axis_list gb_axis_of(int count, const int *axes);

GB_END_DECLS
#endif
