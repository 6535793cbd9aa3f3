/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logistic regression, for doubles and for floats. One sample takes one pass over the data. Each step takes
 * as many rows as a vector has lanes: their dot products, all likelihoods and derivatives at once, and then
 * the gradient, which reads the same rows from the first-level cache. */
#include <math.h>

#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "hand.h"
#include "ops/products/blas_impl.h"

/* log sigma(eta) for y = 1, log sigma(-eta) for y = 0; the derivative is y - sigma(eta). Both share one
 * exponential. */
GB_INLINE V likelihood(V eta, V y, V *slope)
{
    const V t = v_exp_minus_abs(eta);
    *slope = y - v_if_less(eta, v_splat(0), t, v_splat(1)) / (1 + t);
    return y * eta - (v_at_least(eta, 0) + v_log1p_unit(t));
}

/* Sums the lanes of each of LANES vectors, into one vector: neighbours are added in pairs, then pairs of
 * pairs … */
GB_INLINE V sums_of(const V a[LANES])
{
#if GB_VECTOR_AVX512
#define BOTH(a, b, first, second)                                                                            \
    (__builtin_shufflevector(a, b, LIST first) + __builtin_shufflevector(a, b, LIST second))
#define LIST(...) __VA_ARGS__
#if GB_REAL_BITS == 64
#define PAIRS(a, b) BOTH(a, b, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
#define FOURS(a, b) BOTH(a, b, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15))
#define EIGHTS(a, b) BOTH(a, b, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
    return EIGHTS(FOURS(PAIRS(a[0], a[1]), PAIRS(a[2], a[3])), FOURS(PAIRS(a[4], a[5]), PAIRS(a[6], a[7])));
#else
#define PAIRS(a, b)                                                                                          \
    BOTH(a, b, (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),                                  \
         (1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
#define FOURS(a, b)                                                                                          \
    BOTH(a, b, (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),                                   \
         (2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
#define EIGHTS(a, b)                                                                                         \
    BOTH(a, b, (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),                                   \
         (4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
#define SIXTEENS(a, b)                                                                                       \
    BOTH(a, b, (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),                                     \
         (8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
    V eight[2];
    for (int i = 0; i < 2; i++) {
        const V *const b = a + 8 * i;
        eight[i] =
            EIGHTS(FOURS(PAIRS(b[0], b[1]), PAIRS(b[2], b[3])), FOURS(PAIRS(b[4], b[5]), PAIRS(b[6], b[7])));
    }
    return SIXTEENS(eight[0], eight[1]);
#endif
#else
    V sums;
    for (int i = 0; i < LANES; i++)
        sums[i] = (real)v_sum(a[i]);
    return sums;
#endif
}

/* The state of one set of weights. The last vector of a row ends where the row ends: lanes that it shares
 * with the vector before have weight 0. */
typedef struct state {
    V *w, *gradient;
    double value;
} state;

/* Takes `count` rows from x on. `vectors`, and mostly `count` too, are constants after inlining. */
GB_INLINE void take_rows(state *s, const real *x, const real *y, size_t columns, size_t count, int vectors)
{
    const size_t last = columns - LANES;
    V partial[LANES], slope;
    GB_UNROLL
    for (size_t i = 0; i < LANES; i++) {
        const real *row = x + (i < count ? i : 0) * columns;
        partial[i] = s->w[vectors - 1] * v_load(row + last);
        GB_UNROLL
        for (int k = 0; k + 1 < vectors; k++)
            partial[i] = v_fma(s->w[k], v_load(row + k * LANES), partial[i]);
    }
    const V value = likelihood(sums_of(partial), v_load(y), &slope);
    GB_UNROLL
    for (size_t i = 0; i < LANES; i++)
        if (i < count) {
            const real *row = x + i * columns;
            const V by = v_splat(slope[i]);
            GB_UNROLL
            for (int k = 0; k + 1 < vectors; k++)
                s->gradient[k] = v_fma(by, v_load(row + k * LANES), s->gradient[k]);
            s->gradient[vectors - 1] = v_fma(by, v_load(row + last), s->gradient[vectors - 1]);
        }
    if (count == LANES)
        s->value += v_sum(value);
    else
        for (size_t i = 0; i < count; i++)
            s->value += (double)value[i];
}

/* 32 columns, or a few less, so that the last vector still has a column of its own. */
enum { VECTORS = 32 / LANES };

static void one_pass(void *logistic)
{
    gb_hand_logistic *const c = logistic;
    const size_t columns = c->columns, last = columns - LANES, shared = VECTORS * LANES - columns;
    const real *const x = c->x, *const y = c->y, *const weights = c->w;
    real *const slopes = c->gradient;
    V w[VECTORS], gradient[VECTORS] = {{0}};
    state s = {.w = w, .gradient = gradient};
    for (size_t k = 0; k + 1 < VECTORS; k++)
        w[k] = v_load(weights + k * LANES);
    w[VECTORS - 1] = v_load(weights + last);
    for (size_t lane = 0; lane < shared; lane++)
        w[VECTORS - 1][lane] = 0;
    size_t row = 0;
    for (; row + LANES <= c->rows; row += LANES)
        take_rows(&s, x + row * columns, y + row, columns, LANES, VECTORS);
    if (row < c->rows)
        take_rows(&s, x + row * columns, y + row, columns, c->rows - row, VECTORS);
    double squares = 0;
    v_store(slopes + last, gradient[VECTORS - 1]);
    for (size_t k = 0; k + 1 < VECTORS; k++)
        v_store(slopes + k * LANES, gradient[k]);
    for (size_t j = 0; j < columns; j++) {
        squares += (double)(weights[j] * weights[j]);
        slopes[j] -= (real)c->precision * weights[j];
    }
    *c->value = s.value - 0.5 * c->precision * squares;
}

#if GB_REAL_BITS == 64
static void plain(void *logistic)
{
    gb_hand_logistic *const c = logistic;
    const double *const x = c->x, *const y = c->y, *const w = c->w;
    double *const gradient = c->gradient, value = 0;
    for (size_t j = 0; j < c->columns; j++) {
        gradient[j] = -c->precision * w[j];
        value -= 0.5 * c->precision * w[j] * w[j];
    }
    for (size_t i = 0; i < c->rows; i++) {
        const double *row = x + i * c->columns;
        double eta = 0;
        for (size_t j = 0; j < c->columns; j++)
            eta += row[j] * w[j];
        const double t = exp(-fabs(eta));
        const double slope = y[i] - (eta < 0 ? t : 1) / (1 + t);
        value += y[i] * eta - (fmax(eta, 0) + log1p(t));
        for (size_t j = 0; j < c->columns; j++)
            gradient[j] += slope * row[j];
    }
    *c->value = value;
}
#endif

/* C = A B + beta C, with B transposed if requested. */
static void product(int transpose, size_t m, size_t n, size_t k, const real *a, const real *b, real beta,
                    real *c)
{
#if GB_REAL_BITS == 64
    gb_blas_load()->dgemm(
#else
    gb_blas_load()->sgemm(
#endif
        GB_BLAS_ROW_MAJOR, GB_BLAS_PLAIN, transpose ? GB_BLAS_TRANSPOSED : GB_BLAS_PLAIN, (int)m, (int)n,
        (int)k, 1, a, (int)k, b, (int)(transpose ? k : n), beta, c, (int)n);
}

/* The log-likelihood of a row of eta, which is replaced by its slopes. */
static double likelihoods(real *eta, const real *y, size_t rows)
{
    D value[2] = {{0}};
    double tail = 0;
    size_t i = 0;
    for (; i + 2 * LANES <= rows; i += 2 * LANES)
        for (size_t way = 0; way < 2; way++) {
            const size_t at = i + way * LANES;
            V slope;
            value[way] = v_add_to(value[way], likelihood(v_load(eta + at), v_load(y + at), &slope));
            v_store(eta + at, slope);
        }
    for (; i < rows; i++) {
        V slope;
        tail += (double)likelihood(v_splat(eta[i]), v_splat(y[i]), &slope)[0];
        eta[i] = slope[0];
    }
    return v_sum_wide(value[0] + value[1]) + tail;
}

/* Two matrix products, with one pass over the values between them. */
static void by_products(void *logistic)
{
    gb_hand_logistic *const c = logistic;
    const real *w = c->w;
    real *eta = c->work, *gradient = c->gradient;
    product(1, c->samples, c->rows, c->columns, w, c->x, 0, eta);
    for (size_t sample = 0; sample < c->samples; sample++, eta += c->rows, w += c->columns) {
        double squares = 0;
        for (size_t j = 0; j < c->columns; j++) {
            squares += (double)(w[j] * w[j]);
            gradient[sample * c->columns + j] = -(real)c->precision * w[j];
        }
        c->value[sample] = likelihoods(eta, c->y, c->rows) - 0.5 * c->precision * squares;
    }
    product(0, c->samples, c->columns, c->rows, c->work, c->x, 1, gradient);
}
