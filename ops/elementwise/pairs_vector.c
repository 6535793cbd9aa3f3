/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of pairs of operations. */
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "ops/elementwise/pairs_impl.h"

#define UNROLL _Pragma("GCC unroll 4")

/* The second argument is often one number, which is then read once. */
#define THREE_ARGUMENTS(name, value)                                                                         \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        V *out = block->out;                                                                                 \
        const V *a = block->in[0], *b = block->in[1], *c = block->in[2];                                     \
        GB_ONE_LINE(value, const V x = a[i], y = b[i], z = c[i])                                             \
        const size_t vectors = lines * GB_VECTORS_PER_LINE;                                                  \
        const size_t sa = block->step[0], sb = block->step[1], sc = block->step[2];                          \
        if (sa && sb && sc) {                                                                                \
            UNROLL for (size_t i = 0; i < vectors; i++)                                                      \
            {                                                                                                \
                const V x = a[i], y = b[i], z = c[i];                                                        \
                out[i] = value;                                                                              \
            }                                                                                                \
        } else if (sa && sc) {                                                                               \
            const V y = *b;                                                                                  \
            UNROLL for (size_t i = 0; i < vectors; i++)                                                      \
            {                                                                                                \
                const V x = a[i], z = c[i];                                                                  \
                out[i] = value;                                                                              \
            }                                                                                                \
        } else {                                                                                             \
            UNROLL for (size_t i = 0; i < vectors; i++)                                                      \
            {                                                                                                \
                const V x = a[i * sa], y = b[i * sb], z = c[i * sc];                                         \
                out[i] = value;                                                                              \
            }                                                                                                \
        }                                                                                                    \
    }

#define TWO_ARGUMENTS(name, value)                                                                           \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        V *out = block->out;                                                                                 \
        const V *a = block->in[0], *b = block->in[1];                                                        \
        GB_ONE_LINE(value, const V x = a[i], y = b[i])                                                       \
        const size_t vectors = lines * GB_VECTORS_PER_LINE, sa = block->step[0], sb = block->step[1];        \
        UNROLL for (size_t i = 0; i < vectors; i++)                                                          \
        {                                                                                                    \
            const V x = a[i * sa], y = b[i * sb];                                                            \
            out[i] = value;                                                                                  \
        }                                                                                                    \
    }

#define GB_PAIR(name, first, second, place, ARGUMENTS, value) ARGUMENTS(name, value)
#include "ops/elementwise/pairs_table.h"
