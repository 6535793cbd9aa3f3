/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system's C compiler: where it is, a call of it within limits, and from texts to a shared object. */
#ifndef GREBE_CORE_NATIVE_COMPILER_IMPL_H
#define GREBE_CORE_NATIVE_COMPILER_IMPL_H

#include <stdatomic.h>

#include "core/kernels/block_impl.h"
#include "core/native/files_impl.h"

typedef struct gb_compiler {
    char path[GB_PATH_BYTES];
    struct stat is; /* the file that it leads to */
} gb_compiler;

/* Finds GREBE_CC, or else cc, on PATH. Starts nothing. */
bool gb_compiler_find(gb_compiler *compiler, gb_why why);

/* What a call may take. */
typedef struct gb_limits {
    const atomic_bool *cancel; /* set: the compiler is ended; may be NULL */
    double until;              /* a moment of gb_seconds(), at which it is ended */
    uint64_t bytes;            /* of the files in its folder, above which it is ended */
} gb_limits;

/* Appends a word to the list of a call: each has a 0 at its end. */
#define GB_WORD(list, format, ...) gb_text_append((list), format "%c", __VA_ARGS__, 0)

/* Calls a program: words of its path and its arguments. It reads nothing; its messages and temporary files
 * are in the folder. Returns whether it ended well; if not, `why` has the first line of its messages that has
 * "error" or "fail" in it, or else the first. */
bool gb_compiler_run(gb_growing_text *words, const char *folder, gb_limits limits, gb_why why);

typedef struct gb_native_source {
    const char *const *file; /* texts; they are compiled one by one, and linked together */
    size_t files;            /* at least 1 */
    gb_isa isa;              /* with real_bits it decides the flags, GB_ISA and GB_REAL_BITS */
    int real_bits;           /* 64 or 32 */
    const gb_memory *memory; /* outlives the object; NULL: malloc and free */
} gb_native_source;

/* Compiles the texts and links them to an object that exports `key`, a word, as gb_object_key; appends its
 * bytes to `object`. Nothing else remains. */
bool gb_build(const gb_compiler *compiler, const gb_native_source *source, const char *key,
              const atomic_bool *cancel, gb_growing_text *object, gb_why why);

#endif
