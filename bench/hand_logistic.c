/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logistic regression in one pass over the data: the dot products of as many rows as a vector has lanes,
 * their likelihoods and derivatives at once, and the same rows again, from the first-level cache, for the
 * gradient. */
#define GB_ISA hand
#define GB_REAL_BITS 64
#include "core/vector_impl.h"
#include "core/vector_math_impl.h"
#include "hand.h"
#include "ops/blas_impl.h"

/* log sigma(eta) for y = 1, log sigma(-eta) for y = 0; the derivative is y - sigma(eta). They share an
 * exponential. */
GB_INLINE V likelihood(V eta, V y, V *slope)
{
    const V t = v_exp_minus_abs(eta);
    *slope = y - v_if_less(eta, v_splat(0), t, v_splat(1)) / (1 + t);
    return y * eta - (v_at_least(eta, 0) + v_log1p_unit(t));
}

/* The sums of the lanes of LANES vectors, as one vector. */
GB_INLINE V sums_of(const V a[LANES])
{
#if GB_VECTOR_AVX512
#define SHUFFLE __builtin_shufflevector
#define PAIRS(a, b) (SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14) + SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15))
#define FOURS(a, b) (SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13) + SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15))
    const V low = FOURS(PAIRS(a[0], a[1]), PAIRS(a[2], a[3]));
    const V high = FOURS(PAIRS(a[4], a[5]), PAIRS(a[6], a[7]));
    return SHUFFLE(low, high, 0, 1, 2, 3, 8, 9, 10, 11) + SHUFFLE(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
#else
    V sums;
    for (int i = 0; i < LANES; i++)
        sums[i] = v_sum_wide(a[i]);
    return sums;
#endif
}

/* What is known of one set of weights. The last vector of a row ends where the row ends: the lanes that it
 * shares with the one before have no weight. */
typedef struct state {
    V *w, *gradient;
    double value;
} state;

/* `count` rows from row x on. `vectors`, and mostly `count` too, are constants where this is inlined. */
GB_INLINE void take_rows(state *s, const double *x, const double *y, size_t columns, size_t count,
                         int vectors)
{
    const size_t last = columns - LANES;
    V partial[LANES], slope;
    GB_UNROLL
    for (size_t i = 0; i < LANES; i++) {
        const double *row = x + (i < count ? i : 0) * columns;
        partial[i] = s->w[vectors - 1] * v_load(row + last);
        GB_UNROLL
        for (int k = 0; k + 1 < vectors; k++)
            partial[i] = v_fma(s->w[k], v_load(row + k * LANES), partial[i]);
    }
    const V value = likelihood(sums_of(partial), v_load(y), &slope);
    GB_UNROLL
    for (size_t i = 0; i < LANES; i++)
        if (i < count) {
            const double *row = x + i * columns;
            const V by = v_splat(slope[i]);
            GB_UNROLL
            for (int k = 0; k + 1 < vectors; k++)
                s->gradient[k] = v_fma(by, v_load(row + k * LANES), s->gradient[k]);
            s->gradient[vectors - 1] = v_fma(by, v_load(row + last), s->gradient[vectors - 1]);
        }
    if (count == LANES)
        s->value += v_sum_wide(value);
    else
        for (size_t i = 0; i < count; i++)
            s->value += value[i];
}

enum { VECTORS = 32 / LANES }; /* 25 to 32 columns with AVX-512 */

void gb_hand_logistic_run(void *logistic)
{
    gb_hand_logistic *c = logistic;
    const size_t columns = c->columns, last = columns - LANES, shared = VECTORS * LANES - columns;
    V w[VECTORS], gradient[VECTORS] = {{0}};
    state s = {.w = w, .gradient = gradient};
    for (size_t k = 0; k + 1 < VECTORS; k++)
        w[k] = v_load(c->w + k * LANES);
    w[VECTORS - 1] = v_load(c->w + last);
    for (size_t lane = 0; lane < shared; lane++)
        w[VECTORS - 1][lane] = 0;
    size_t row = 0;
    for (; row + LANES <= c->rows; row += LANES)
        take_rows(&s, c->x + row * columns, c->y + row, columns, LANES, VECTORS);
    if (row < c->rows)
        take_rows(&s, c->x + row * columns, c->y + row, columns, c->rows - row, VECTORS);
    double squares = 0;
    v_store(c->gradient + last, gradient[VECTORS - 1]);
    for (size_t k = 0; k + 1 < VECTORS; k++)
        v_store(c->gradient + k * LANES, gradient[k]);
    for (size_t j = 0; j < columns; j++) {
        squares += c->w[j] * c->w[j];
        c->gradient[j] -= c->w[j];
    }
    *c->value = s.value - 0.5 * squares;
}

void gb_hand_logistic_plain_run(void *logistic)
{
    gb_hand_logistic *c = logistic;
    double value = 0;
    for (size_t j = 0; j < c->columns; j++) {
        c->gradient[j] = -c->w[j];
        value -= 0.5 * c->w[j] * c->w[j];
    }
    for (size_t i = 0; i < c->rows; i++) {
        const double *row = c->x + i * c->columns;
        double eta = 0;
        for (size_t j = 0; j < c->columns; j++)
            eta += row[j] * c->w[j];
        const double t = exp(-fabs(eta));
        const double slope = c->y[i] - (eta < 0 ? t : 1) / (1 + t);
        value += c->y[i] * eta - (fmax(eta, 0) + log1p(t));
        for (size_t j = 0; j < c->columns; j++)
            c->gradient[j] += slope * row[j];
    }
    *c->value = value;
}

/* Two matrix products, and one pass over what is between them. */
void gb_hand_logistic_samples_run(void *logistic)
{
    gb_hand_logistic *c = logistic;
    const gb_blas *blas = gb_blas_load();
    const int samples = (int)c->samples, rows = (int)c->rows, columns = (int)c->columns;
    blas->dgemm(GB_BLAS_ROW_MAJOR, GB_BLAS_PLAIN, GB_BLAS_TRANSPOSED, samples, rows, columns, 1, c->w,
                columns, c->x, columns, 0, c->work, rows);
    for (size_t sample = 0; sample < c->samples; sample++) {
        double *eta = c->work + sample * c->rows, squares = 0;
        const double *w = c->w + sample * c->columns;
        D value[2] = {{0}};
        size_t i = 0;
        for (; i + 2 * LANES <= c->rows; i += 2 * LANES)
            for (size_t way = 0; way < 2; way++) {
                const size_t at = i + way * LANES;
                V slope;
                value[way] += likelihood(v_load(eta + at), v_load(c->y + at), &slope);
                v_store(eta + at, slope);
            }
        double tail = 0;
        for (; i < c->rows; i++) {
            V slope;
            tail += likelihood(v_splat(eta[i]), v_splat(c->y[i]), &slope)[0];
            eta[i] = slope[0];
        }
        for (size_t j = 0; j < c->columns; j++) {
            squares += w[j] * w[j];
            c->gradient[sample * c->columns + j] = -w[j];
        }
        c->value[sample] = v_sum_wide(value[0] + value[1]) + tail - 0.5 * squares;
    }
    blas->dgemm(GB_BLAS_ROW_MAJOR, GB_BLAS_PLAIN, GB_BLAS_PLAIN, samples, columns, rows, 1, c->work, rows,
                c->x, columns, 1, c->gradient, columns);
}
