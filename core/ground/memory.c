/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/memory_impl.h"

#include <stdlib.h>
#include <string.h>

void *gb_memory_resize(const gb_memory *memory, void *old, size_t bytes)
{
    if (memory->resize)
        return memory->resize(memory->user, old, bytes);
    return realloc(old, bytes);
}

void gb_memory_release(const gb_memory *memory, void *old)
{
    if (!old)
        return;
    if (memory->release)
        memory->release(memory->user, old);
    else
        free(old);
}

/* The pointer that the allocator returned is stored just below the aligned block. */
void *gb_allocate_aligned(const gb_memory *memory, size_t bytes)
{
    const size_t alignment = gb_buffer_alignment(bytes);
    if (bytes > SIZE_MAX - 2 * alignment)
        return NULL;
    void *raw = gb_memory_resize(memory, NULL, bytes + alignment + sizeof(void *));
    if (!raw)
        return NULL;
    char *aligned = (char *)raw + sizeof(void *);
    aligned += (alignment - (uintptr_t)aligned % alignment) % alignment;
    memcpy(aligned - sizeof(void *), &raw, sizeof(void *));
    memset(aligned, 0, bytes);
    return aligned;
}

void gb_release_aligned(const gb_memory *memory, void *block)
{
    if (!block)
        return;
    void *raw;
    memcpy(&raw, (char *)block - sizeof(void *), sizeof(void *));
    gb_memory_release(memory, raw);
}

bool gb_grow(const gb_memory *memory, void **array, size_t *capacity, size_t needed, size_t each)
{
    if (needed <= *capacity)
        return true;
    size_t larger = *capacity < 32 ? 64 : *capacity * 2;
    if (larger < needed)
        larger = needed;
    if (larger > SIZE_MAX / each)
        return false;
    void *grown = gb_memory_resize(memory, *array, larger * each);
    if (!grown)
        return false;
    *array = grown;
    *capacity = larger;
    return true;
}

struct gb_arena_chunk {
    struct gb_arena_chunk *next;
    size_t size, used;
};

enum { FIRST_CHUNK = 16 * 1024, LARGEST_STEP = 4 * 1024 * 1024 };

static struct gb_arena_chunk *chunk_new(gb_arena *arena, size_t bytes)
{
    size_t size = arena->chunk ? arena->chunk->size * 2 : FIRST_CHUNK;
    if (size > LARGEST_STEP)
        size = LARGEST_STEP;
    if (size < bytes + gb_buffer_alignment(bytes))
        size = bytes + gb_buffer_alignment(bytes);
    if (size > SIZE_MAX - sizeof(struct gb_arena_chunk))
        return NULL;
    struct gb_arena_chunk *chunk =
        gb_memory_resize(arena->memory, NULL, sizeof(struct gb_arena_chunk) + size);
    if (!chunk)
        return NULL;
    *chunk = (struct gb_arena_chunk){.next = arena->chunk, .size = size};
    arena->chunk = chunk;
    arena->bytes += size;
    return chunk;
}

/* Returns where the next `bytes` of a chunk begin, counted from the end of its header. */
static size_t chunk_place(const struct gb_arena_chunk *chunk, size_t bytes)
{
    const size_t alignment = bytes >= 64 ? gb_buffer_alignment(bytes) : 16;
    const uintptr_t free = (uintptr_t)(chunk + 1) + chunk->used;
    return chunk->used + (alignment - free % alignment) % alignment;
}

void *gb_arena_take(gb_arena *arena, size_t bytes)
{
    struct gb_arena_chunk *chunk = arena->chunk;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    if (!chunk || chunk_place(chunk, bytes) + bytes > chunk->size)
        chunk = chunk_new(arena, bytes);
    if (!chunk)
        return NULL;
    const size_t place = chunk_place(chunk, bytes);
    chunk->used = place + bytes;
    return memset((char *)(chunk + 1) + place, 0, bytes);
}

char *gb_arena_text(gb_arena *arena, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = gb_arena_take(arena, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

static void arena_free_all_but(gb_arena *arena, struct gb_arena_chunk *kept)
{
    for (struct gb_arena_chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        if (chunk != kept)
            gb_memory_release(arena->memory, chunk);
    }
    arena->chunk = kept;
    arena->bytes = kept ? kept->size : 0;
}

void gb_arena_reset(gb_arena *arena)
{
    struct gb_arena_chunk *largest = arena->chunk;
    for (struct gb_arena_chunk *chunk = arena->chunk; chunk; chunk = chunk->next)
        if (chunk->size > largest->size)
            largest = chunk;
    arena_free_all_but(arena, largest);
    if (largest) {
        largest->next = NULL;
        largest->used = 0;
    }
}

void gb_arena_free(gb_arena *arena)
{
    arena_free_all_but(arena, NULL);
}
