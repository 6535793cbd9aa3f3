/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fetching ahead. A loop goes through a block of one array, then through a block of another, so the processor
 * does not foresee which memory comes next. Where the arrays of a plan are more than the caches hold, loops
 * over many arrays therefore have instructions that fetch: some before an array is first used, in the same
 * block or in the one before. */
#ifndef GREBE_CORE_KERNELS_FETCH_IMPL_H
#define GREBE_CORE_KERNELS_FETCH_IMPL_H

#include "core/kernels/block_impl.h"

enum {
    GB_FAR_BYTES = 1 << 24, /* of a plan; while all is nearer, fetching takes more time than it saves */
    GB_FETCH_LEAD = 16,     /* instructions between fetching and using */
    GB_FETCH_LEAST = 5,     /* arrays; the processor foresees fewer by itself */
    GB_FETCH_MOST = 64      /* arrays that are fetched */
};

/* Fetches `lines` lines of its argument into the caches. The pointer may lead beyond the array, where
 * fetching does nothing. */
gb_block_kernel gb_fetch_kernel;

/* Inserts fetches into the `count` instructions of a loop's body, whose pointers are addresses. Returns how
 * many instructions there are then. `body` has room for GB_FETCH_MOST more. */
size_t gb_fetch_ahead(gb_block *body, size_t count);

#endif
