/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where memory comes from: a pair of functions, which a tape takes as an option (core/tape.h). */
#ifndef GREBE_CORE_MEMORY_H
#define GREBE_CORE_MEMORY_H

#include <stddef.h>

#include "export.h"

GB_BEGIN_DECLS

/* Where a tape's memory comes from. Both functions or neither. `resize` works as realloc does (NULL: none yet)
 * and must be safe to call from the thread that uses the tape. */
typedef struct gb_memory {
    void *(*resize)(void *user, void *old, size_t bytes);
    void (*release)(void *user, void *old);
    void *user;
} gb_memory;

/* Memory of `bytes` bytes, `old` (or NULL) grown or shrunk as realloc does. NULL: there is none left, and `old` is as it
 * was. */
GB_API void *gb_memory_resize(const gb_memory *memory, void *old, size_t bytes);

/* Gives memory back. NULL is fine. */
GB_API void gb_memory_release(const gb_memory *memory, void *old);

GB_END_DECLS
#endif
