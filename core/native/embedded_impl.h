/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the library knows of its own build: the headers that native code includes, and the flags by which its
 * bits are the library's. cmake/native.cmake writes these objects when it builds. */
#ifndef GREBE_CORE_NATIVE_EMBEDDED_IMPL_H
#define GREBE_CORE_NATIVE_EMBEDDED_IMPL_H

#include <stddef.h>

#include "core/kernels/block_impl.h"

typedef struct gb_embedded {
    const char *path; /* in the tree: "core/kernels/vector_impl.h" */
    const unsigned char *text;
    size_t bytes;
} gb_embedded;

/* The list ends with a path of NULL. */
extern const gb_embedded gb_embedded_headers[];

/* The flags of the compiler: those of all files, and those of an instruction set. NULL ends each list. */
extern const char *const gb_embedded_flags[], *const *const gb_embedded_isa_flags[GB_ISA_COUNT];

/* A hash of all of the above, in hexadecimals. */
extern const char gb_embedded_hash[];

#endif
