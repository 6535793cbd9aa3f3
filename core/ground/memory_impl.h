/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory: a tape's allocator, aligned blocks from it, and arenas that are emptied at once. */
#ifndef GREBE_CORE_GROUND_MEMORY_IMPL_H
#define GREBE_CORE_GROUND_MEMORY_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"

/* Large buffers begin at the same place of a page. A load would wait for an earlier store whose address differs by a
 * multiple of 4096 only; when arrays that are walked together are so aligned, that is never the case. */
static inline size_t gb_buffer_alignment(size_t bytes)
{
    return bytes >= 8192 ? 4096 : 64;
}

/* `bytes` of zeros, aligned as above, to be given to gb_release_aligned (NULL is fine). NULL: no memory. */
void *gb_allocate_aligned(const gb_memory *memory, size_t bytes);
void gb_release_aligned(const gb_memory *memory, void *block);

/* Grows an array of `each`-byte elements so that it holds at least `needed`; on failure it is left as it was. */
bool gb_grow(const gb_memory *memory, void **array, size_t *capacity, size_t needed, size_t each);

/* A growing list of T. */
#define GB_LIST(T)                                                                                           \
    struct {                                                                                                 \
        T *at;                                                                                               \
        size_t count, capacity;                                                                              \
    }
#define GB_LIST_GROW(memory, list, more)                                                                     \
    gb_grow((memory), (void **)&(list)->at, &(list)->capacity, (list)->count + (more), sizeof(*(list)->at))

/* Memory that is given back all at once. Addresses are aligned to 64 and stay valid until then. */
typedef struct gb_arena {
    const gb_memory *memory;
    struct gb_arena_chunk *chunk; /* the one in use; the others behind it are full */
    size_t bytes;                 /* in all chunks */
} gb_arena;

/* `bytes` of zeros; NULL: no memory. Alignment is 16, from 64 bytes on that of buffers. */
void *gb_arena_take(gb_arena *arena, size_t bytes);
/* Copies a string. */
char *gb_arena_text(gb_arena *arena, const char *text);
/* Forgets all that was taken; keeps the largest chunk for reuse. */
void gb_arena_reset(gb_arena *arena);
void gb_arena_free(gb_arena *arena);

#endif
