/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner loop of factors and triangular systems: a product of matrices is subtracted, four rows and some
 * vectors at a time. Sums are in the order of the terms, but for one column. */
#include "core/kernels/vector_impl.h"
#include "ops/products/subtract_impl.h"

#if GB_REAL_BITS == 64

enum {
    MOST_VECTORS = GB_VECTOR_AVX512 ? 4
                   : GB_VECTOR_AVX2 ? 3
                                    : 2, /* 4 rows of them fit in the registers */
    MOST_TERMS = 128                     /* at a time */
};

/* c − a b, rounded as v_fma is. */
GB_INLINE V v_less_product(V c, V a, V b)
{
#if GB_VECTOR_AVX512 || GB_VECTOR_AVX2
    return GB_X86(fnmadd)(a, b, c);
#else
    return c - a * b;
#endif
}

/* What is known of a tile where it is inlined: `rows` and `vectors` are constants then. */
typedef struct tile_form {
    int rows, vectors;
    bool solves;
    int64_t tail; /* lanes of the last vector */
} tile_form;

/* Row after row, less the rows before, and divided by the diagonal. */
GB_INLINE void solve_rows(const gb_subtraction *s, int64_t row, tile_form f, V *sum)
{
    const double *const t = s->triangle + row * s->of_row;
#pragma GCC unroll 4
    for (int r = 0; r < f.rows; r++) {
#pragma GCC unroll 4
        for (int q = 0; q < r; q++) {
            const V y = v_splat(t[r * s->of_row + q * s->of_term]);
#pragma GCC unroll 4
            for (int v = 0; v < f.vectors; v++)
                sum[r * f.vectors + v] = v_less_product(sum[r * f.vectors + v], sum[q * f.vectors + v], y);
        }
        const V pivot = v_splat(t[r * s->of_row + r * s->of_term]);
#pragma GCC unroll 4
        for (int v = 0; v < f.vectors; v++)
            sum[r * f.vectors + v] /= pivot;
    }
}

/* With `from` at the first of the tile's columns. */
GB_INLINE void tile(const gb_subtraction *s, int64_t row, int64_t column, tile_form f)
{
    double *const to = s->to + row * s->to_step + column;
    const double *c = s->coefficient + row * s->of_row, *from = s->from;
    V sum[16];
#pragma GCC unroll 16
    for (int i = 0; i < f.rows * f.vectors; i++) {
        const double *const at = to + i / f.vectors * s->to_step + i % f.vectors * LANES;
        sum[i] = f.tail == LANES || i % f.vectors < f.vectors - 1 ? v_load(at) : v_load_part(at, f.tail);
    }
    for (int64_t k = 0; k < s->terms; k++, c += s->of_term, from += s->from_step) {
        V x[4];
#pragma GCC unroll 4
        for (int v = 0; v < f.vectors; v++)
            x[v] = f.tail == LANES || v < f.vectors - 1 ? v_load(from + v * LANES)
                                                        : v_load_part(from + v * LANES, f.tail);
#pragma GCC unroll 4
        for (int r = 0; r < f.rows; r++) {
            const V y = v_splat(c[r * s->of_row]);
#pragma GCC unroll 4
            for (int v = 0; v < f.vectors; v++)
                sum[r * f.vectors + v] = v_less_product(sum[r * f.vectors + v], x[v], y);
        }
    }
    if (f.solves)
        solve_rows(s, row, f, sum);
#pragma GCC unroll 16
    for (int i = 0; i < f.rows * f.vectors; i++) {
        double *const at = to + i / f.vectors * s->to_step + i % f.vectors * LANES;
        if (f.tail == LANES || i % f.vectors < f.vectors - 1)
            v_store(at, sum[i]);
        else
            v_store_part(at, f.tail, sum[i]);
    }
}

/* Some columns of `from`, one term after the other without gaps: they stay in the nearest cache while they
 * are subtracted from many rows. */
GB_INLINE void copy_columns(const gb_subtraction *s, int64_t column, int vectors, int64_t tail, double *copy)
{
    const double *from = s->from + column;
    for (int64_t k = 0; k < s->terms; k++, from += s->from_step, copy += vectors * LANES)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(copy + v * LANES,
                    v < vectors - 1 ? v_load(from + v * LANES) : v_load_part(from + v * LANES, tail));
}

/* All rows of some columns; few, if they are solved. */
GB_INLINE void panel(const gb_subtraction *all, int64_t column, int vectors, int64_t tail)
{
    enum { FEW_ROWS = 12 };
    _Alignas(64) double copy[MOST_TERMS * MOST_VECTORS * LANES];
    gb_subtraction s = *all;
    int64_t row = 0;
    if (s.rows > FEW_ROWS) {
        copy_columns(&s, column, vectors, tail, copy);
        s.from = copy;
        s.from_step = vectors * LANES;
    } else
        s.from += column;
    if (s.triangle && s.rows == 4)
        tile(&s, 0, column, (tile_form){4, vectors, true, tail});
    else if (s.triangle && s.rows == 3)
        tile(&s, 0, column, (tile_form){3, vectors, true, tail});
    else if (s.triangle && s.rows == 2)
        tile(&s, 0, column, (tile_form){2, vectors, true, tail});
    else if (s.triangle)
        tile(&s, 0, column, (tile_form){1, vectors, true, tail});
    else {
        for (; row + 4 <= s.rows; row += 4)
            tile(&s, row, column, (tile_form){4, vectors, false, tail});
        for (; row < s.rows; row++)
            tile(&s, row, column, (tile_form){1, vectors, false, tail});
    }
}

static void all_columns(const gb_subtraction *s)
{
    int64_t column = 0;
    for (; column + MOST_VECTORS * LANES <= s->width; column += MOST_VECTORS * LANES)
        panel(s, column, MOST_VECTORS, LANES);
    const int64_t left = s->width - column;
    if (MOST_VECTORS > 3 && left > 3 * LANES)
        panel(s, column, 4, left - 3 * LANES);
    else if (MOST_VECTORS > 2 && left > 2 * LANES)
        panel(s, column, 3, left - 2 * LANES);
    else if (left > LANES)
        panel(s, column, 2, left - LANES);
    else if (left > 0)
        panel(s, column, 1, left);
}

/* ---- one column, of terms without gaps: vectors go along the terms ---- */

GB_INLINE void sum_rows(const gb_subtraction *s, int64_t row, int rows)
{
    const double *const c = s->coefficient + row * s->of_row;
    V sum[4] = {0};
    int64_t k = 0;
    for (; k + LANES <= s->terms; k += LANES) {
        const V x = v_load(s->from + k);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            sum[r] = v_fma(v_load(c + r * s->of_row + k), x, sum[r]);
    }
    if (k < s->terms) {
        const V x = v_load_part(s->from + k, s->terms - k);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            sum[r] = v_fma(v_load_part(c + r * s->of_row + k, s->terms - k), x, sum[r]);
    }
    for (int r = 0; r < rows; r++)
        s->to[(row + r) * s->to_step] -= v_sum(sum[r]);
}

static void one_column(const gb_subtraction *s)
{
    int64_t row = 0;
    for (; row + 4 <= s->rows; row += 4)
        sum_rows(s, row, 4);
    for (; row < s->rows; row++)
        sum_rows(s, row, 1);
    for (int64_t r = 0; s->triangle && r < s->rows; r++) {
        const double *const t = s->triangle + r * s->of_row;
        double rest = s->to[r * s->to_step];
        for (int64_t q = 0; q < r; q++)
            rest -= t[q * s->of_term] * s->to[q * s->to_step];
        s->to[r * s->to_step] = rest / t[r * s->of_term];
    }
}

void GB_PASTE4(gb_, subtract, GB_ISA, GB_REAL_BITS)(const gb_subtraction *subtraction)
{
    gb_subtraction s = *subtraction;
    if (s.width == 1 && s.of_term == s.from_step && s.of_term * s.of_term == 1) {
        if (s.of_term < 0) {
            s.coefficient -= s.terms > 0 ? s.terms - 1 : 0;
            s.from -= s.terms > 0 ? s.terms - 1 : 0;
        }
        one_column(&s);
        return;
    }
    for (int64_t rest = s.terms; rest > MOST_TERMS; rest -= MOST_TERMS) {
        s.triangle = NULL;
        s.terms = MOST_TERMS;
        all_columns(&s);
        s.coefficient += MOST_TERMS * s.of_term;
        s.from += MOST_TERMS * s.from_step;
        s.terms = rest - MOST_TERMS;
    }
    s.triangle = subtraction->triangle;
    if (s.terms > 0 || s.triangle)
        all_columns(&s);
}

#endif
