/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From texts to the bytes of a shared object. */
#ifndef GREBE_CORE_NATIVE_BUILD_IMPL_H
#define GREBE_CORE_NATIVE_BUILD_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/native/compiler_impl.h"

typedef struct gb_source {
    const char *const *file; /* texts; they are compiled one by one, and linked together */
    size_t files;            /* at least 1 */
    gb_isa isa;              /* with real_bits it decides the flags, GB_ISA and GB_REAL_BITS */
    int real_bits;           /* 64 or 32 */
    const gb_memory *memory; /* outlives the object; NULL: malloc and free */
} gb_source;

/* Compiles the texts and links them to an object that exports `key`, a word, as gb_object_key. Nothing but
 * the bytes remains. */
bool gb_build(const gb_compiler *compiler, const gb_source *source, const gb_memory *memory, const char *key,
              const atomic_bool *cancel, gb_bytes *object, gb_why why);

#endif
