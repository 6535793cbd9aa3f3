/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner loop of factors and triangular systems: a product of matrices is subtracted, four rows and some
 * vectors at a time. Sums are in the order of the terms. */
#include "core/kernels/vector_impl.h"
#include "ops/products/factor_impl.h"

#if GB_REAL_BITS == 64

enum { MOST_VECTORS = GB_VECTOR_AVX512 ? 4 : 2 }; /* 4 rows of them fit in the registers */

/* `rows` and `vectors` are constants where it is inlined. The last vector has `tail` lanes; LANES: all. */
GB_INLINE void tile(const gb_subtraction *s, int64_t row, int64_t column, int rows, int vectors, bool whole,
                    int64_t tail)
{
    double *const to = s->to + row * s->to_step + column;
    const double *c = s->coefficient + row * s->of_row, *from = s->from + column;
    V sum[16];
#pragma GCC unroll 16
    for (int i = 0; i < rows * vectors; i++) {
        const double *const at = to + i / vectors * s->to_step + i % vectors * LANES;
        sum[i] = whole || i % vectors < vectors - 1 ? v_load(at) : v_load_part(at, tail);
    }
    for (int64_t k = 0; k < s->terms; k++, c += s->of_term, from += s->from_step) {
        V x[4];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            x[v] = whole || v < vectors - 1 ? v_load(from + v * LANES) : v_load_part(from + v * LANES, tail);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const V y = v_splat(-c[r * s->of_row]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[r * vectors + v] = v_fma(x[v], y, sum[r * vectors + v]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows * vectors; i++) {
        double *const at = to + i / vectors * s->to_step + i % vectors * LANES;
        if (whole || i % vectors < vectors - 1)
            v_store(at, sum[i]);
        else
            v_store_part(at, tail, sum[i]);
    }
}

/* All rows of some columns. */
GB_INLINE void panel(const gb_subtraction *s, int64_t column, int vectors, bool whole, int64_t tail)
{
    int64_t row = 0;
    for (; row + 4 <= s->rows; row += 4)
        tile(s, row, column, 4, vectors, whole, tail);
    for (; row < s->rows; row++)
        tile(s, row, column, 1, vectors, whole, tail);
}

void GB_PASTE4(gb_, subtract, GB_ISA, GB_REAL_BITS)(const gb_subtraction *subtraction)
{
    const gb_subtraction s = *subtraction;
    int64_t column = 0;
    if (s.terms == 0)
        return;
    for (; column + MOST_VECTORS * LANES <= s.width; column += MOST_VECTORS * LANES)
        panel(&s, column, MOST_VECTORS, true, LANES);
    const int64_t left = s.width - column;
    if (left > 3 * LANES)
        panel(&s, column, 4, false, left - 3 * LANES);
    else if (left > 2 * LANES)
        panel(&s, column, 3, false, left - 2 * LANES);
    else if (left > LANES)
        panel(&s, column, 2, false, left - LANES);
    else if (left > 0)
        panel(&s, column, 1, false, left);
}

#endif
