/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an object is made from. */
#ifndef GREBE_CORE_NATIVE_SOURCE_IMPL_H
#define GREBE_CORE_NATIVE_SOURCE_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/memory.h"

typedef struct gb_source {
    const char *const *file; /* texts; they are compiled one by one, and linked together */
    size_t files;            /* at least 1 */
    gb_isa isa;              /* with real_bits it decides the flags, GB_ISA and GB_REAL_BITS */
    int real_bits;           /* 64 or 32 */
    const gb_memory *memory; /* outlives the object; NULL: malloc and free */
} gb_source;

#endif
