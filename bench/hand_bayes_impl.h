/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hand-written steps of Bayesian networks share. GB_ISA names the noise of a program. */
#ifndef GREBE_BENCH_HAND_BAYES_IMPL_H
#define GREBE_BENCH_HAND_BAYES_IMPL_H

#define GB_REAL_BITS 32
#include "core/kernels/noise_impl.h"

#define GB_HAND_NOISE_OF(name, isa) gb_block_##name##_##isa##_32
#define GB_HAND_NOISE(name, isa) GB_HAND_NOISE_OF(name, isa)
gb_block_kernel GB_HAND_NOISE(uniform, GB_ISA), GB_HAND_NOISE(normal, GB_ISA);
#include "core/kernels/noise_vector.c" /* Philox and normal draws, inline */

#include <stdlib.h>

#include "hand.h"
#include "ops/products/blas_impl.h"

/* softplus(rho), with e^-|rho| */
GB_INLINE V deviation(V rho, V *t)
{
    *t = v_exp_minus_abs(rho);
    return v_at_least(rho, 0) + v_log1p_unit(*t);
}

typedef struct adam {
    V keep_m, fresh_m, keep_v, fresh_v, correct_m, correct_v, epsilon;
} adam;

GB_INLINE void adam_vector(const adam *a, float *m_at, float *v_at, float *at, V now, V gradient)
{
    const V m = a->keep_m * v_load(m_at) + a->fresh_m * gradient;
    const V v = a->keep_v * v_load(v_at) + a->fresh_v * (gradient * gradient);
    v_store(m_at, m);
    v_store(v_at, v);
    v_store(at, now - a->correct_m * m / (v_sqrt(a->correct_v * v) + a->epsilon));
}

static inline adam adam_of(const gb_hand_bayes *b)
{
    const double step = (double)b->step + 1;
    return (adam){.keep_m = v_splat(b->beta1),
                  .fresh_m = v_splat(1 - b->beta1),
                  .keep_v = v_splat(b->beta2),
                  .fresh_v = v_splat(1 - b->beta2),
                  .correct_m = v_splat(b->rate / (1 - pow(b->beta1, step))),
                  .correct_v = v_splat(1 / (1 - pow(b->beta2, step))),
                  .epsilon = v_splat(b->epsilon)};
}

/* C = A B + beta C, with A or B transposed if requested. */
static inline void product(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, const float *a,
                           const float *b, float beta, float *c)
{
    gb_blas_load()->sgemm(GB_BLAS_ROW_MAJOR, transpose_a ? GB_BLAS_TRANSPOSED : GB_BLAS_PLAIN,
                          transpose_b ? GB_BLAS_TRANSPOSED : GB_BLAS_PLAIN, (int)m, (int)n, (int)k, 1, a,
                          (int)(transpose_a ? m : k), b, (int)(transpose_b ? k : n), beta, c, (int)n);
}

static inline const float *input_of(const gb_hand_bayes *b, int layer)
{
    return layer == 0 ? b->x : b->value[layer - 1];
}

/* The cross-entropy of the batch, and the adjoint of the logits: (softmax - y) / batch. */
static inline double softmax(gb_hand_bayes *b)
{
    const int top = GB_HAND_LAYERS - 1;
    const size_t classes = b->width[top + 1];
    double loss = 0;
    for (size_t row = 0; row < b->batch; row++) {
        const float *logits = b->value[top] + row * classes, *y = b->y + row * classes;
        float *adjoint = b->adjoint[top] + row * classes, most = logits[0];
        for (size_t i = 1; i < classes; i++)
            most = logits[i] > most ? logits[i] : most;
        double sum = 0, chosen = 0;
        for (size_t i = 0; i < classes; i += LANES) {
            V e = v_exp(v_load(logits + i) - most);
            const size_t count = classes - i < LANES ? classes - i : LANES;
            for (size_t lane = 0; lane < count; lane++) {
                adjoint[i + lane] = e[lane];
                sum += (double)e[lane];
                chosen += (double)(y[i + lane] * logits[i + lane]);
            }
        }
        loss += log(sum) + (double)most - chosen;
        for (size_t i = 0; i < classes; i++)
            adjoint[i] = (adjoint[i] * (float)(1 / sum) - y[i]) / (float)b->batch;
    }
    return loss / (double)b->batch;
}

static inline void bias_gradient(const gb_hand_bayes *b, const float *adjoint, size_t out, float *bias)
{
    memset(bias, 0, out * sizeof *bias);
    for (size_t row = 0; row < b->batch; row++)
        for (size_t i = 0; i < out; i++)
            bias[i] += adjoint[row * out + i];
}

static inline int take(float **array, size_t count)
{
    if (*array)
        return 1;
    const size_t bytes = (count * sizeof(float) + 511) / 256 * 256;
    *array = aligned_alloc(256, bytes);
    if (*array)
        memset(*array, 0, bytes);
    return *array != NULL;
}

#endif
