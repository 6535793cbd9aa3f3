/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For authors of operations over whole arrays (GB_FORM_KERNEL): where elements are, what a kernel is given, and help with
 * events, hidden axes and threads. */
#ifndef GREBE_CORE_KERNEL_H
#define GREBE_CORE_KERNEL_H

#include "shape.h"

GB_BEGIN_DECLS

typedef struct gb_op gb_op;

/* Where the elements of an array are: element (h…, i…) at offset + Σ h·hidden_stride + Σ i·stride, counted in
 * elements. hidden_stride is in the order of the bits of `axes`. Stride 0 repeats. */
typedef struct gb_layout {
    gb_axes axes;
    int64_t hidden_size[GB_MAX_HIDDEN];
    int64_t hidden_stride[GB_MAX_HIDDEN];
    gb_shape shape;
    int64_t stride[GB_MAX_RANK];
    int64_t offset;
} gb_layout;

/* The place of one axis in hidden_size and hidden_stride: the number of lower axes in the set. */
GB_API int gb_axis_place(gb_axes axes, gb_axes axis);

/* The stride along one hidden axis; 0 if the array lacks it, and so is the same at all its places. */
GB_API int64_t gb_layout_stride(const gb_layout *layout, gb_axes axis);

/* How many elements, hidden axes included. */
GB_API size_t gb_layout_count(const gb_layout *layout);

typedef struct gb_workers gb_workers;

/* What a kernel is given: whole dense arrays, hidden axes first. */
typedef struct gb_kernel_call {
    const gb_op *op;
    const void *attributes;
    gb_real real;
    size_t count;
    const gb_layout *arg; /* [count] */
    const void *const *in;
    gb_layout out_layout;
    void *out;
    void *workspace; /* as many bytes as `workspace` asked for, aligned to 64; kept from run to run */
    gb_workers *workers;
} gb_kernel_call;

/* Calls `each` for every combination of hidden axes, with pointers to one event of each argument and of the
 * output: an operation written for one draw and one datum needs no more. For up to 16 arguments. */
GB_API void gb_each_event(const gb_kernel_call *call,
                          void (*each)(const gb_kernel_call *call, const void *const *in, void *out));

/* How many elements after the first event of an array the event at `at` is, which counts along `axes`. */
GB_API int64_t gb_event_offset(const gb_layout *layout, gb_axes axes, const int64_t *at);
/* Steps `at` to the next event of `layout`; false after the last. Begin with zeros. */
GB_API bool gb_next_event(const gb_layout *layout, int64_t *at);

/* Calls `tile` for 0 … tiles − 1, on the tape's threads where there are some. What a tile computes must not
 * depend on the others. */
GB_API void gb_parallel(gb_workers *workers, size_t tiles, void (*tile)(void *context, size_t index),
                        void *context);

GB_END_DECLS
#endif
