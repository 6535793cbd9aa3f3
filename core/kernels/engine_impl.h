/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The structs to which `extra` points for the engine's own kernels, in engine_vector.c. */
#ifndef GREBE_CORE_KERNELS_ENGINE_IMPL_H
#define GREBE_CORE_KERNELS_ENGINE_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/shape.h"

/* A strided view, with axes merged where possible: element (i0, i1, …) is at in[0] + Σ i·stride. Plans
 * allocate only the axes in use. Elements are loaded in runs along the last axis. Where several of the last
 * axes have few elements together, a run goes along all of them, by a list of places. Of short runs, `many`
 * at a time are listed: those of as many neighbours on the axis before. */
enum { GB_SHORT_RUN = 16, GB_LISTED_ELEMENTS = 128 };
typedef struct gb_strided {
    const int32_t *place; /* [run · many]; NULL: a run goes along the last axis only */
    size_t run;           /* elements */
    size_t many;          /* runs that are loaded at a time */
    int64_t outer;        /* axes outside a run */
    int64_t rank;
    size_t count; /* of all elements */
    struct {
        size_t size;
        int64_t stride;
    } axis[GB_MAX_HIDDEN + GB_MAX_RANK];
} gb_strided;

/* A check: all elements are finite, none is NaN or +∞, or none is NaN. */
typedef struct gb_check_plan {
    size_t count;
    uint32_t *failed; /* set to 1 if the check fails */
} gb_check_plan;

/* An operation from outside grebe: a function of up to three numbers. */
typedef struct gb_lane_plan {
    double (*lane)(double x, double y, double z);
} gb_lane_plan;

GB_DECLARE_KERNELS(copy)
GB_DECLARE_KERNELS(total)
GB_DECLARE_KERNELS(load)
GB_DECLARE_KERNELS(lane)
GB_DECLARE_KERNELS(reduce_sum)
GB_DECLARE_KERNELS(reduce_max)
GB_DECLARE_KERNELS(all_finite)
GB_DECLARE_KERNELS(none_above)
GB_DECLARE_KERNELS(none_nan)

#endif
