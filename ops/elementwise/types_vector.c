/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of booleans and of integers. */
#include "core/kernels/vector_impl.h"
#include "ops/elementwise/types_impl.h"

#define GB_OF_TYPES(name, arguments, value)                                                                  \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        V *out = block->out;                                                                                 \
        const V *a = block->in[0], *b = (arguments) == 2 ? block->in[1] : a;                                 \
        const size_t sa = block->step[0], sb = (arguments) == 2 ? block->step[1] : sa;                       \
        for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, a += sa, b += sb) {                         \
            const V x = *a, y = *b;                                                                          \
            (void)y;                                                                                         \
            out[i] = value;                                                                                  \
        }                                                                                                    \
    }
#include "ops/elementwise/types_table.h"
