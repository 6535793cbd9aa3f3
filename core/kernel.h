/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For authors of operations over whole arrays (GB_FORM_KERNEL): layouts, the arguments of a kernel, and
 * helpers for events, hidden axes and threads. */
#ifndef GREBE_CORE_KERNEL_H
#define GREBE_CORE_KERNEL_H

#include "shape.h"

GB_BEGIN_DECLS

typedef struct gb_op gb_op;

/* How a fused group reduces what it computes, and a team what its members have. */
typedef enum gb_reduction { GB_REDUCE_SUM, GB_REDUCE_MAX } gb_reduction;

/* The layout of an array in memory. Element (h…, i…) is at offset + Σ h·hidden_stride + Σ i·stride, counted
 * in elements. hidden_size and hidden_stride are in the order of the bits of `axes`. A stride of 0 repeats
 * elements. */
typedef struct gb_layout {
    gb_axes axes;
    int64_t hidden_size[GB_MAX_HIDDEN];
    int64_t hidden_stride[GB_MAX_HIDDEN];
    gb_shape shape;
    int64_t stride[GB_MAX_RANK];
    int64_t offset;
} gb_layout;

/* Returns the index of `axis` in hidden_size and hidden_stride: the number of lower axes in the set. */
GB_API int gb_axis_place(gb_axes axes, gb_axes axis);

/* Returns the stride along one hidden axis; 0 if the array lacks the axis, and so is constant along it. */
GB_API int64_t gb_layout_stride(const gb_layout *layout, gb_axes axis);

/* Returns the number of elements, hidden axes included. */
GB_API size_t gb_layout_count(const gb_layout *layout);

typedef struct gb_workers gb_workers;

/* The arguments of a kernel. All arrays are dense, with hidden axes first. */
typedef struct gb_kernel_call {
    const gb_op *op;
    const void *attributes;
    gb_real real;
    size_t count;
    const gb_layout *arg; /* [count] */
    const void *const *in;
    gb_layout out_layout;
    void *out;
    /* The number of bytes that `workspace` of the operation returned, aligned to 64. The contents stay from
     * run to run. */
    void *workspace;
    gb_workers *workers;
} gb_kernel_call;

/* For operations with a body. The body is evaluated step by step, some steps at a time: at most
 * gb_kernel_call_steps. gb_kernel_call_given(call)[i][g] is the dense array of given node g in step i of
 * these, to be filled before (a single number fills a line of 64 bytes), gb_kernel_call_result(call)[i][r]
 * that of result r. Carried ones are filled before the first step only, and those that do not move once.
 * gb_kernel_call_run returns false if an operation of the body rejected a value; then the kernel returns at
 * once, and the run fails. `first` is the number of the first step, for messages; `by` is 1 or −1. */
/* Returns whether values of the body are searched for one that is not finite: then it must be run. Else an
 * operation may find the results without it. */
GB_API bool gb_kernel_call_is_watched(const gb_kernel_call *call);
GB_API size_t gb_kernel_call_steps(const gb_kernel_call *call);
GB_API void *const *const *gb_kernel_call_given(const gb_kernel_call *call);
GB_API const void *const *const *gb_kernel_call_result(const gb_kernel_call *call);
GB_API bool gb_kernel_call_run(const gb_kernel_call *call, size_t steps, int64_t first, int64_t by);

/* Calls `each` for every combination of hidden axes, with pointers to one event of each argument and of the
 * output. So `each` may be written for one draw and one datum. At most 16 arguments. */
GB_API void gb_each_event(const gb_kernel_call *call,
                          void (*each)(const gb_kernel_call *call, const void *const *in, void *out));

/* Returns the offset of an event from the first event of an array, in elements. `at` has one index for each
 * of `axes`. */
GB_API int64_t gb_event_offset(const gb_layout *layout, gb_axes axes, const int64_t *at);
/* Moves `at` to the next event of `layout`. Returns false after the last one. Begin with zeros. */
GB_API bool gb_next_event(const gb_layout *layout, int64_t *at);

/* Calls `tile` for each index from 0 to tiles − 1, on the tape's threads if there are several. No tile may
 * depend on the result of another. */
GB_API void gb_parallel(gb_workers *workers, size_t tiles, void (*tile)(void *user, size_t index),
                        void *user);

GB_END_DECLS
#endif
