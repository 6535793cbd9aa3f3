/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory: a tape's allocator, aligned blocks from it, and arenas, which are freed as a whole. */
#ifndef GREBE_CORE_GROUND_MEMORY_IMPL_H
#define GREBE_CORE_GROUND_MEMORY_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"

/* Large buffers begin at a page. A load waits for an earlier store if their addresses differ by a multiple of
 * 4096. That cannot happen between arrays that are read and written side by side and are aligned alike. */
static inline size_t gb_buffer_alignment(size_t bytes)
{
    return bytes >= 8192 ? 4096 : 64;
}

/* Allocates `bytes` zeroed bytes, aligned as above; NULL if memory runs out. gb_release_aligned frees them;
 * NULL is allowed. */
void *gb_allocate_aligned(const gb_memory *memory, size_t bytes);
void gb_release_aligned(const gb_memory *memory, void *block);

/* Grows an array of elements of `each` bytes to a capacity of at least `needed`. Returns false if memory runs
 * out; the array is then unchanged. */
bool gb_grow(const gb_memory *memory, void **array, size_t *capacity, size_t needed, size_t each);

/* A growing list of T. */
#define GB_LIST(T)                                                                                           \
    struct {                                                                                                 \
        T *at;                                                                                               \
        size_t count, capacity;                                                                              \
    }
#define GB_LIST_GROW(memory, list, more)                                                                     \
    gb_grow((memory), (void **)&(list)->at, &(list)->capacity, (list)->count + (more), sizeof(*(list)->at))

/* Memory that is freed as a whole. Addresses stay valid until then. */
typedef struct gb_arena {
    const gb_memory *memory;
    struct gb_arena_chunk *chunk; /* the one in use, followed by full ones */
    size_t bytes;                 /* of all chunks */
} gb_arena;

/* Allocates `bytes` zeroed bytes; NULL if memory runs out. The alignment is 16; from 64 bytes on it is that
 * of buffers. */
void *gb_arena_take(gb_arena *arena, size_t bytes);
/* Copies a string. */
char *gb_arena_text(gb_arena *arena, const char *text);
/* Frees everything, but keeps the largest chunk for reuse. */
void gb_arena_reset(gb_arena *arena);
void gb_arena_free(gb_arena *arena);

#endif
