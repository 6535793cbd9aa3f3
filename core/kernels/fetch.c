/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/kernels/fetch_impl.h"

/* The arrays of a body, in the order of their first uses. */
typedef struct arrays {
    size_t count;
    struct {
        const void *at;
        size_t user; /* the instruction */
    } array[GB_FETCH_MOST];
} arrays;

void gb_fetch_kernel(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    for (size_t i = 0; i < lines; i++)
        __builtin_prefetch((const void *)((uintptr_t)block->in[0] + i * GB_LINE_BYTES));
}

static void list(arrays *all, const void *at, size_t user)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->array[i].at == at)
            return;
    all->array[all->count].at = at;
    all->array[all->count++].user = user;
}

static void list_arrays(arrays *all, const gb_block *body, size_t count)
{
    all->count = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned a = 0; a < GB_MAX_BLOCK_ARGS && all->count < GB_FETCH_MOST; a++)
            if (body[i].moves >> (a + 1) & 1u)
                list(all, body[i].in[a], i);
        if (body[i].moves & 1u && all->count < GB_FETCH_MOST)
            list(all, body[i].out, i);
    }
}

/* Goes backwards, so that all instructions move to later places. The first fetches of a block are of arrays
 * in the middle of the list; at its end are those of the next block, for the arrays before them. */
size_t gb_fetch_ahead(gb_block *body, size_t count)
{
    arrays all;
    list_arrays(&all, body, count);
    if (all.count < GB_FETCH_LEAST)
        return count;
    const size_t lead = count < GB_FETCH_LEAD ? count : GB_FETCH_LEAD;
    size_t next = 0, left = all.count;
    while (next < all.count && all.array[next].user < lead)
        next++;
    for (size_t i = count; i-- > 0;) {
        body[i + left] = body[i];
        for (; left > 0; left--) {
            const size_t k = (next + left - 1) % all.count;
            const bool is_next = k < next;
            if (all.array[k].user + (is_next ? count : 0) != i + lead)
                break;
            const uintptr_t at = (uintptr_t)all.array[k].at + (is_next ? GB_BLOCK_BYTES : 0);
            body[i + left - 1] = (gb_block){.kernel = gb_fetch_kernel, .in = {(const void *)at}, .moves = 2};
        }
    }
    return count + all.count;
}
