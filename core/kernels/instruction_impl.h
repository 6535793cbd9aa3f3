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

typedef struct gb_loop gb_loop;
/* Computes one chunk of a loop: see core/native. */
typedef void gb_loop_chunk(const gb_loop *loop, char *temporaries, size_t tile);

struct gb_loop {
    const gb_scratch *scratch;
    gb_workers *workers;
    size_t width;          /* bytes of an element */
    size_t domain, block;  /* elements */
    size_t reduced, inner; /* inner > 0: the loop is by columns */
    size_t tiles;
    gb_block *const *bodies; /* the instructions of all loops of the plan */
    size_t first, count;     /* the range of this loop in `bodies` */
    bool worth_threads;
    bool is_far;             /* its arrays are fetched ahead: see fetch_impl.h */
    gb_loop_chunk *compiled; /* NULL: its instructions are run one by one */
};
gb_block_kernel gb_loop_kernel;

/* Returns a pointer of an instruction for the block at byte `move`. Computes with numbers, since a
 * temporary's pointer is still an offset here, and an unused one is NULL. */
static inline void *gb_aimed(const void *base, unsigned moves, size_t move, unsigned temporary,
                             const char *scratch)
{
    return (void *)((uintptr_t)base + move * moves + (uintptr_t)scratch * temporary);
}

/* Copies an instruction of a loop, with pointers to the block at byte `move` of each array. */
static inline void gb_aim(gb_block *live, const gb_block *from, const char *temporaries, size_t move)
{
    const unsigned moves = from->moves, temporary = from->temporary;
    *live = *from;
    live->out = gb_aimed(from->out, moves & 1u, move, temporary & 1u, temporaries);
    for (unsigned a = 0; a < GB_MAX_BLOCK_ARGS; a++)
        live->in[a] =
            gb_aimed(from->in[a], moves >> (a + 1) & 1u, move, temporary >> (a + 1) & 1u, temporaries);
}

/* Moves the pointers of such a copy to the next block. */
static inline void gb_advance(gb_block *block, size_t bytes)
{
    const unsigned moves = block->moves;
    block->out = (void *)((uintptr_t)block->out + (moves & 1u ? bytes : 0));
    for (unsigned a = 0; a < GB_MAX_BLOCK_ARGS; a++)
        block->in[a] = (const void *)((uintptr_t)block->in[a] + (moves >> (a + 1) & 1u ? bytes : 0));
}

static inline size_t gb_lines_of_bytes(size_t bytes)
{
    return (bytes + GB_LINE_BYTES - 1) / GB_LINE_BYTES;
}

typedef struct gb_call {
    gb_kernel_call call;
    const void **in; /* call.in, but writable */
    void (*run)(const gb_kernel_call *call);
} gb_call;
gb_block_kernel gb_call_kernel;

#endif
