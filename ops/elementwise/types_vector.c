/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of booleans and of integers. */
#include "core/kernels/vector_impl.h"
#include "ops/elementwise/types_impl.h"

#define ONE_ARGUMENT(name, R, value)                                                                         \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        R *out = block->out;                                                                                 \
        const M *a = block->in[0];                                                                           \
        const size_t step = block->step[0];                                                                  \
        for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, a += step)                                  \
            out[i] = value;                                                                                  \
    }
ONE_ARGUMENT(not, M, ~*a)
ONE_ARGUMENT(bool_to_real, V, v_of_mask(*a))
ONE_ARGUMENT(int_to_real, V, v_from_int(*a))
ONE_ARGUMENT(real_to_int, M, v_nearest_int(v_from_bits(*a)))

#define TWO_BOOLEANS(name, value)                                                                            \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        M *out = block->out;                                                                                 \
        const M *a = block->in[0], *b = block->in[1];                                                        \
        const size_t sa = block->step[0], sb = block->step[1];                                               \
        for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, a += sa, b += sb)                           \
            out[i] = value;                                                                                  \
    }
TWO_BOOLEANS(and, *a &*b)
TWO_BOOLEANS(or, *a | *b)
