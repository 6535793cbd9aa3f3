/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects: C text that the system's C compiler made into functions of this process.
 *
 * The compiler is GREBE_CC in the environment (a name or a path, without arguments), or else cc. It is
 * started with an argument list, in a process group of its own, and works in a new folder in TMPDIR, which is
 * removed in any case. An object is kept in a cache (cache_impl.h). The next load of the same text, with the
 * same library and compiler, starts no compiler.
 *
 * Each file begins with  #include "native_prelude.h"  (core/kernels/native_prelude.h). Besides, it includes
 * headers of the C library only. Its names are known in the other files. Outside of the object only those
 * are known that are declared GB_NATIVE: these can be found. */
#ifndef GREBE_CORE_NATIVE_OBJECT_IMPL_H
#define GREBE_CORE_NATIVE_OBJECT_IMPL_H

#include "core/native/compiler_impl.h"

typedef struct gb_object gb_object;

/* Finds the object in the cache, or compiles it; loads it. May be called from any thread, by several at a
 * time. Returns NULL if that is not possible; `why` then says why not, in one line. If another thread sets
 * `*cancel` (it may be NULL), the compiler is ended, and the call returns NULL soon. */
gb_object *gb_object_load(const gb_native_source *source, const atomic_bool *cancel, char *why, size_t bytes);

/* Returns the address of a function that is declared GB_NATIVE; NULL if there is none. */
void *gb_object_find(const gb_object *object, const char *name);

/* Returns the object for another user, in the thread of the others. */
gb_object *gb_object_share(gb_object *object);

/* The last user unloads it: none of its functions may run. NULL is allowed. */
void gb_object_free(gb_object *object);

#endif
