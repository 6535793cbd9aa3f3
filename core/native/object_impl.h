/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects: C text that the system's C compiler made into functions of this process.
 *
 * The compiler is GREBE_CC in the environment (a name or a path, no arguments), or else cc. It is started with
 * an argument list, in a process group of its own, and finds the text in a new folder in TMPDIR, which is
 * removed in any case. An object is kept in a cache, and the next load of the same text, on the same machine
 * with the same library, starts no compiler.
 *
 * Each file of the text begins with  #include "native_prelude.h"  (core/kernels/native_prelude.h). It may
 * include the other headers that the library has embedded (cmake/native.cmake lists them) by their paths in
 * the tree, and those of the C compiler. A name of another file of the text is declared as usual. No name is
 * visible outside the object but those that are declared GB_API: these can be found. */
#ifndef GREBE_CORE_NATIVE_OBJECT_IMPL_H
#define GREBE_CORE_NATIVE_OBJECT_IMPL_H

#include <stdatomic.h>
#include <stddef.h>

#include "core/kernels/block_impl.h"
#include "core/memory.h"

typedef struct gb_object gb_object;

typedef struct gb_source {
    const char *const *file; /* texts; they are compiled one by one, and linked together */
    size_t files;            /* at least 1 */
    gb_isa isa;              /* with real_bits it decides the flags, GB_ISA and GB_REAL_BITS */
    int real_bits;           /* 64 or 32 */
    const gb_memory *memory; /* NULL: malloc and free. It outlives the object */
} gb_source;

/* Finds the object in the cache, or compiles it; loads it. May be called from any thread, by several at a
 * time. Returns NULL if that is not possible; `why` then says why not, in one line. If another thread sets
 * `*cancel` (it may be NULL), the compiler is ended, and the call returns NULL within a tenth of a second. */
gb_object *gb_object_load(const gb_source *source, const atomic_bool *cancel, char *why, size_t bytes);

/* Returns the address of a function or an object that is declared GB_API; NULL if there is none. */
void *gb_object_find(const gb_object *object, const char *name);

/* Unloads it: none of its functions may run. NULL is allowed. */
void gb_object_free(gb_object *object);

#endif
