/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that are more than one block kernel: a loop over blocks, and a kernel over whole arrays. Like
 * every instruction they are a gb_block; its `extra` points to one of these structs. */
#ifndef GREBE_CORE_KERNELS_INSTRUCTION_IMPL_H
#define GREBE_CORE_KERNELS_INSTRUCTION_IMPL_H

#include "core/kernel.h"
#include "core/kernels/block_impl.h"

/* The number of blocks of a chunk. It is fixed, since the bits of a sum depend on it. */
enum { GB_CHUNK_BLOCKS = 16 };

/* The memory of the threads. Each has temporaries, then a copy of a loop's instructions. */
typedef struct gb_scratch {
    char *at;
    size_t bytes;           /* of one thread */
    size_t temporary_bytes; /* of these, those before the instructions */
} gb_scratch;

typedef struct gb_loop {
    const gb_scratch *scratch;
    gb_workers *workers;
    size_t width;          /* bytes of an element */
    size_t domain, block;  /* elements */
    size_t reduced, inner; /* inner > 0: the loop is by columns */
    size_t tiles;
    gb_block *const *bodies; /* the instructions of all loops of the plan */
    size_t first, count;     /* the range of this loop in `bodies` */
    bool worth_threads;
    bool is_far; /* its arrays are fetched ahead: see fetch_impl.h */
} gb_loop;
gb_block_kernel gb_loop_kernel;

typedef struct gb_call {
    gb_kernel_call call;
    const void **in; /* call.in, but writable */
    void (*run)(const gb_kernel_call *call);
} gb_call;
gb_block_kernel gb_call_kernel;

#endif
