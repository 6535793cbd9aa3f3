/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that are more than one block kernel: a loop over blocks, and a kernel over whole arrays. Like every
 * instruction they are a gb_block, whose `extra` is one of these. */
#ifndef GREBE_CORE_KERNELS_INSTRUCTION_IMPL_H
#define GREBE_CORE_KERNELS_INSTRUCTION_IMPL_H

#include "core/kernel.h"
#include "core/kernels/block_impl.h"

/* Blocks to a chunk: fixed, as the bits of a sum depend on it. */
enum { GB_CHUNK_BLOCKS = 16 };

/* Memory of the threads: for each, temporaries and then a copy of a loop's instructions. */
typedef struct gb_scratch {
    char *at;
    size_t bytes;           /* of one thread */
    size_t temporary_bytes; /* of these, before the copy of the instructions */
} gb_scratch;

typedef struct gb_loop {
    const gb_scratch *scratch;
    gb_workers *workers;
    size_t width;          /* bytes of an element */
    size_t domain, block;  /* elements */
    size_t reduced, inner; /* by columns, if inner > 0 */
    size_t tiles;
    gb_block *const *bodies; /* the instructions of all loops of the plan … */
    size_t first, count;     /* … and which of them are this one's */
    bool worth_threads;
} gb_loop;
gb_block_kernel gb_loop_kernel;

typedef struct gb_call {
    gb_kernel_call call;
    const void **in; /* the call's, to be written to */
    void (*run)(const gb_kernel_call *call);
} gb_call;
gb_block_kernel gb_call_kernel;

#endif
