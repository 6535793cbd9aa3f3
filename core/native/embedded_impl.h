/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the library knows of its own build, so that native code has its bits. cmake/native.cmake writes it. */
#ifndef GREBE_CORE_NATIVE_EMBEDDED_IMPL_H
#define GREBE_CORE_NATIVE_EMBEDDED_IMPL_H

#include "core/kernels/block_impl.h"

/* core/kernels/native_prelude.h, with the headers that it includes in their places. Headers of the compiler
 * that it has no use for are left out, but with -DGB_WHOLE_HEADERS=1. */
extern const unsigned char gb_embedded_prelude[];
extern const size_t gb_embedded_prelude_bytes;

/* Flags of the compiler for an instruction set. NULL ends the list. */
extern const char *const *const gb_embedded_flags[GB_ISA_COUNT];

/* A hash of all of the above, in hexadecimals. */
extern const char gb_embedded_hash[];

#endif
