/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system's C compiler: where it is, and one call of it, within limits. */
#ifndef GREBE_CORE_NATIVE_COMPILER_IMPL_H
#define GREBE_CORE_NATIVE_COMPILER_IMPL_H

#include <stdatomic.h>

#include "core/native/files_impl.h"

/* A path, and of the file that it leads to size, times and number: another compiler has others. */
typedef struct gb_compiler {
    char path[GB_PATH_BYTES];
    uint64_t size, changed, moved, number;
} gb_compiler;

/* Finds GREBE_CC, or else cc, on PATH. Starts nothing. */
bool gb_compiler_find(gb_compiler *compiler, gb_why why);

/* What a call may take. */
typedef struct gb_limits {
    const atomic_bool *cancel; /* set: the compiler is ended; may be NULL */
    double until;              /* a moment of gb_seconds(), at which it is ended */
    uint64_t bytes;            /* of the files in its folder, above which it is ended */
} gb_limits;

/* Calls the compiler with arguments, of which the first is not read; NULL ends them. It reads nothing; its
 * messages and temporary files are in the folder. Returns whether it ended well; if not, `why` has the first
 * line of its messages that has "error" or "fail" in it, or else the first. */
bool gb_compiler_run(const gb_compiler *compiler, char **arguments, const gb_folder *folder, gb_limits limits,
                     gb_why why);

#endif
