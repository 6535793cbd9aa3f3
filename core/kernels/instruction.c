/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that are more than one block kernel. */
#include "core/kernels/instruction_impl.h"

#include <string.h>

#include "core/kernels/fetch_impl.h"
#include "core/kernels/workers_impl.h"

void gb_call_kernel(const gb_block *block, size_t lines, size_t first)
{
    (void)lines, (void)first;
    const gb_call *of = block->extra;
    const gb_kernel_call *call = &of->call;
    of->run(call);
    const size_t width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    if (block->lines == 1) /* a single element fills its line */
        for (size_t i = 1; i < GB_LINE_BYTES / width; i++)
            memcpy((char *)call->out + i * width, call->out, width);
}

/* ---- loops ---- */

/* Copies the instructions for one thread, with pointers to the block at byte `move` of each array. */
static void aim(const gb_loop *loop, gb_block *live, const char *temporaries, size_t move)
{
    const gb_block *const from = *loop->bodies + loop->first;
    for (size_t i = 0; i < loop->count; i++)
        gb_aim(&live[i], &from[i], temporaries, move);
}

static void run_chunk(const gb_loop *loop, gb_block *live, const char *temporaries, size_t width, size_t tile)
{
    const size_t chunk = GB_CHUNK_BLOCKS * loop->block, end = (tile + 1) * chunk;
    const size_t last = end < loop->domain ? end : loop->domain;
    aim(loop, live, temporaries, tile * chunk * width);
    const gb_block *const stop = live + (loop->is_far ? gb_fetch_ahead(live, loop->count) : loop->count);
    for (size_t first = tile * chunk; first < last; first += loop->block) {
        const size_t count = last - first < loop->block ? last - first : loop->block;
        const size_t lines = gb_lines_of_bytes(count * width);
        for (gb_block *at = live; at < stop; at++) {
            at->kernel(at, lines, first);
            if (at->moves)
                gb_advance(at, GB_BLOCK_BYTES);
        }
    }
}

static void run_columns(const gb_loop *loop, gb_block *live, const char *temporaries, size_t width,
                        size_t tile)
{
    const size_t per_outer = (loop->inner + loop->block - 1) / loop->block;
    const size_t outer = tile / per_outer, column = tile % per_outer * loop->block;
    const size_t count = loop->inner - column < loop->block ? loop->inner - column : loop->block;
    for (size_t row = 0; row < loop->reduced; row++) {
        const size_t first = (outer * loop->reduced + row) * loop->inner + column;
        aim(loop, live, temporaries, first * width);
        for (size_t i = 0; i < loop->count; i++)
            live[i].kernel(&live[i], gb_lines_of_bytes(count * width), first);
    }
}

/* The scratch memory of a thread: temporaries, then its copy of the instructions. */
static void run_tile(void *context, size_t tile, unsigned thread)
{
    const gb_loop *loop = context;
    char *const scratch = loop->scratch->at + thread * loop->scratch->bytes;
    gb_block *const live = (gb_block *)(void *)(scratch + loop->scratch->temporary_bytes);
    if (loop->compiled)
        loop->compiled(loop, scratch, tile);
    else
        (loop->inner ? run_columns : run_chunk)(loop, live, scratch, loop->width, tile);
}

void gb_loop_kernel(const gb_block *block, size_t lines, size_t first)
{
    (void)lines, (void)first;
    const gb_loop *loop = block->extra;
    if (loop->worth_threads)
        gb_workers_run(loop->workers, loop->tiles, run_tile, (void *)(uintptr_t)loop);
    else
        for (size_t tile = 0; tile < loop->tiles; tile++)
            run_tile((void *)(uintptr_t)loop, tile, 0);
    const gb_block *const body = *loop->bodies + loop->first;
    for (const gb_block *at = body; at < body + loop->count; at++)
        if (at->ends)
            at->kernel(at, 0, 0);
}
