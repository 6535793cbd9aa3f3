/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocators: a pair of functions, which a tape takes as an option (core/tape.h). */
#ifndef GREBE_CORE_MEMORY_H
#define GREBE_CORE_MEMORY_H

#include <stddef.h>

#include "export.h"

GB_BEGIN_DECLS

/* The allocator of a tape. Give both functions or neither; without them malloc and free are used. `resize`
 * works as realloc does: a NULL `old` means a new block. It must be safe to call from the thread that uses
 * the tape. */
typedef struct gb_memory {
    void *(*resize)(void *user, void *old, size_t bytes);
    void (*release)(void *user, void *old);
    void *user;
} gb_memory;

/* Allocates `bytes` bytes, or resizes `old` to that size, as realloc does. Returns NULL if memory runs out;
 * `old` is then unchanged. */
GB_API void *gb_memory_resize(const gb_memory *memory, void *old, size_t bytes);

/* Frees a block. NULL is allowed. */
GB_API void gb_memory_release(const gb_memory *memory, void *old);

GB_END_DECLS
#endif
