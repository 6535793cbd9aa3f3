/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of the elementwise operations, from the table. */
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "core/kernels/vector_special_impl.h"
#include "ops/elementwise/elementwise_impl.h"

#define UNROLL _Pragma("GCC unroll 4")

#define GB_UNARY(name, formula, value, ...)                                                                  \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        V *out = block->out;                                                                                 \
        const V *at = block->in[0];                                                                          \
        const size_t step = block->step[0];                                                                  \
        for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, at += step) {                               \
            const V x = *at;                                                                                 \
            out[i] = value;                                                                                  \
        }                                                                                                    \
    }

/* An argument of step 0 is one line with equal vectors, so it is read once. */
#define TWO_ARGUMENTS(name, R, value)                                                                        \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        R *out = block->out;                                                                                 \
        const V *a = block->in[0], *b = block->in[1];                                                        \
        GB_ONE_LINE(value, const V x = a[i], y = b[i])                                                       \
        const size_t vectors = lines * GB_VECTORS_PER_LINE;                                                  \
        if (block->step[0] && block->step[1]) {                                                              \
            UNROLL for (size_t i = 0; i < vectors; i++)                                                      \
            {                                                                                                \
                const V x = a[i], y = b[i];                                                                  \
                out[i] = value;                                                                              \
            }                                                                                                \
        } else if (block->step[0]) {                                                                         \
            const V y = *b;                                                                                  \
            UNROLL for (size_t i = 0; i < vectors; i++)                                                      \
            {                                                                                                \
                const V x = a[i];                                                                            \
                out[i] = value;                                                                              \
            }                                                                                                \
        } else {                                                                                             \
            const V x = *a;                                                                                  \
            const size_t step = block->step[1];                                                              \
            UNROLL for (size_t i = 0; i < vectors; i++)                                                      \
            {                                                                                                \
                const V y = b[i * step];                                                                     \
                out[i] = value;                                                                              \
            }                                                                                                \
        }                                                                                                    \
    }
GB_UNARY(trigamma, "", v_trigamma(x), )
GB_UNARY(tetragamma, "", v_tetragamma(x), )

#define GB_STEP GB_UNARY
#define GB_BINARY(name, formula, value, ...) TWO_ARGUMENTS(name, V, value)
#define GB_COMPARE(name, formula, value) TWO_ARGUMENTS(name, M, value)
#include "ops/elementwise/elementwise_table.h"

void GB_BLOCK(where)(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    V *out = block->out;
    const M *condition = block->in[0];
    const V *x = block->in[1], *y = block->in[2];
    const size_t sc = block->step[0], sx = block->step[1], sy = block->step[2];
    for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, condition += sc, x += sx, y += sy)
        out[i] = v_select(*condition, *x, *y);
}
