/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native code: what the system's C compiler makes of programs, and where it is kept.
 *
 * The compiler is GREBE_CC in the environment (a name or a path, without arguments), or else cc on PATH. It
 * works in a folder of its own in TMPDIR, which is removed in any case; if this process is killed, by the
 * first that compiles an hour later. What it made is kept in the folder grebe of XDG_CACHE_HOME, or of .cache
 * in the user's home. So the next process that runs the same program needs no compiler. The folder is for its
 * owner alone, and holds at most 64 MiB: what has not been used for the longest time goes first. */
#ifndef GREBE_CORE_NATIVE_H
#define GREBE_CORE_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "export.h"

GB_BEGIN_DECLS

/* Whether native code can be made, and what is kept of it. Longer texts are cut. */
typedef struct gb_native_facts {
    char compiler[256];    /* its path; "" if there is none */
    char fault[256];       /* why native code cannot be made or run; "" if it can */
    char cache[256];       /* the folder; "" if nothing is kept */
    char advice[256];      /* why nothing is kept; "" if it is */
    uint64_t files, bytes; /* that are kept */
} gb_native_facts;

/* Fills `facts`, which must not be NULL. It compiles a line and runs it, or runs that from the cache. Returns
 * whether that was possible. */
GB_API bool gb_native_look(gb_native_facts *facts);

/* Removes what is kept, and fills `facts`: files and bytes are what was removed. Returns false if there is no
 * folder that grebe uses; `advice` says why. Programs that run native code go on. */
GB_API bool gb_native_clear(gb_native_facts *facts);

GB_END_DECLS
#endif
