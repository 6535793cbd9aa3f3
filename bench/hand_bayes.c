/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayes by Backprop, fused by hand. A step goes over the weights twice: first to draw them and to sum KL;
 * then, after the matrix products, for the gradient of both and Adam. */
#define GB_ISA hand
#define GB_REAL_BITS 32
#include "core/kernels/noise_impl.h"
gb_block_kernel gb_block_uniform_hand_32, gb_block_normal_hand_32;
#include "core/kernels/noise_vector.c" /* Philox and normal draws, inline */

#include <stdlib.h>

#include "hand.h"
#include "ops/products/blas_impl.h"

/* ---- drawing ---- */

typedef struct drawing {
    V two_precision; /* 1/2 prior^-2 */
    D kl;
} drawing;

/* softplus(rho), with e^-|rho| */
GB_INLINE V deviation(V rho, V *t)
{
    *t = v_exp_minus_abs(rho);
    return v_at_least(rho, 0) + v_log1p_unit(*t);
}

/* w = mu + sigma noise; and sigma²/2 prior² + mu²/2 prior² - log sigma in the lanes of `there`. */
GB_INLINE void draw_vector(drawing *d, gb_hand_tensor *tensor, size_t i, V noise, V there)
{
    V t;
    const V mu = v_load(tensor->mu + i), sigma = deviation(v_load(tensor->rho + i), &t);
    v_store(tensor->noise + i, noise);
    v_store(tensor->draw + i, v_fma(sigma, noise, mu));
    V k;
    const V m = v_log_split(sigma, &k); /* sigma is neither 0 nor subnormal */
    const V term = d->two_precision * v_fma(sigma, sigma, mu * mu) - v_log_of_parts(m - 1, k);
    d->kl = v_add_to(d->kl, there * term);
}

static double draw(gb_hand_bayes *b, gb_hand_tensor *tensor)
{
    const gb_noise_state state = {.key = tensor->key, .step = &b->step, .count = tensor->count};
    const philox p = philox_of(&state);
    drawing d = {.two_precision = v_splat(0.5 / (b->prior * b->prior))};
    const size_t whole = tensor->count / GROUP * GROUP;
    real noise[GROUP] __attribute__((aligned(64)));
    for (size_t i = 0; i < whole; i += GROUP) {
        fill_group(noise, &p, i / GROUP, GB_NOISE_GROUP_LINES, true);
        for (size_t j = 0; j < (size_t)GROUP; j += LANES)
            draw_vector(&d, tensor, i + j, v_load(noise + j), v_splat(1));
    }
    if (whole < tensor->count) {
        fill_group(noise, &p, whole / GROUP, GB_NOISE_GROUP_LINES, true);
        for (size_t i = whole; i < tensor->count; i += LANES) {
            V there = v_splat(0);
            for (size_t lane = 0; lane < LANES && i + lane < tensor->count; lane++)
                there[lane] = 1;
            draw_vector(&d, tensor, i, v_load(noise + (i - whole)), there);
        }
    }
    return v_sum_wide(d.kl) + (double)tensor->count * (log(b->prior) - 0.5);
}

/* ---- updating ---- */

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

static void update(const gb_hand_bayes *b, gb_hand_tensor *tensor)
{
    const double step = (double)b->step + 1;
    const adam a = {.keep_m = v_splat(b->beta1),
                    .fresh_m = v_splat(1 - b->beta1),
                    .keep_v = v_splat(b->beta2),
                    .fresh_v = v_splat(1 - b->beta2),
                    .correct_m = v_splat(b->rate / (1 - pow(b->beta1, step))),
                    .correct_v = v_splat(1 / (1 - pow(b->beta2, step))),
                    .epsilon = v_splat(b->epsilon)};
    const V weight = v_splat(1 / b->data_size), precision = v_splat(1 / (b->prior * b->prior * b->data_size));
    for (size_t i = 0; i < tensor->count; i += LANES) {
        const V mu = v_load(tensor->mu + i), rho = v_load(tensor->rho + i),
                slope = v_load(tensor->gradient + i);
        V t;
        const V sigma = deviation(rho, &t);
        const V in_mu = v_fma(precision, mu, slope);
        /* (slope noise + precision sigma - weight / sigma) sigmoid(rho), with one division */
        const V without = v_fma(slope, v_load(tensor->noise + i), precision * sigma);
        const V numerator = v_fma(without, sigma, -weight) * v_if_less(rho, v_splat(0), t, v_splat(1));
        const V in_rho = numerator / (sigma * (1 + t));
        adam_vector(&a, tensor->mu_m + i, tensor->mu_v + i, tensor->mu + i, mu, in_mu);
        adam_vector(&a, tensor->rho_m + i, tensor->rho_v + i, tensor->rho + i, rho, in_rho);
    }
}

/* ---- the network ---- */

/* C = A B + beta C, with A or B transposed if requested. */
static void product(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, const float *a,
                    const float *b, float beta, float *c)
{
    gb_blas_load()->sgemm(GB_BLAS_ROW_MAJOR, transpose_a ? GB_BLAS_TRANSPOSED : GB_BLAS_PLAIN,
                          transpose_b ? GB_BLAS_TRANSPOSED : GB_BLAS_PLAIN, (int)m, (int)n, (int)k, 1, a,
                          (int)(transpose_a ? m : k), b, (int)(transpose_b ? k : n), beta, c, (int)n);
}

static const float *input_of(const gb_hand_bayes *b, int layer)
{
    return layer == 0 ? b->x : b->value[layer - 1];
}

static void forward(gb_hand_bayes *b, int layer)
{
    const size_t in = b->width[layer], out = b->width[layer + 1];
    const float *bias = b->tensor[2 * layer + 1].draw;
    float *value = b->value[layer];
    for (size_t row = 0; row < b->batch; row++)
        memcpy(value + row * out, bias, out * sizeof *value);
    product(false, false, b->batch, out, in, input_of(b, layer), b->tensor[2 * layer].draw, 1, value);
    if (layer + 1 < GB_HAND_LAYERS)
        for (size_t i = 0; i < b->batch * out; i += LANES)
            v_store(value + i, v_at_least(v_load(value + i), 0));
}

/* The cross-entropy of the batch, and the adjoint of the logits: (softmax - y) / batch. */
static double softmax(gb_hand_bayes *b)
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

static void backward(gb_hand_bayes *b, int layer)
{
    const size_t in = b->width[layer], out = b->width[layer + 1];
    const float *adjoint = b->adjoint[layer];
    float *bias = b->tensor[2 * layer + 1].gradient;
    memset(bias, 0, out * sizeof *bias);
    for (size_t row = 0; row < b->batch; row++)
        for (size_t i = 0; i < out; i++)
            bias[i] += adjoint[row * out + i];
    product(true, false, in, out, b->batch, input_of(b, layer), adjoint, 0, b->tensor[2 * layer].gradient);
    if (layer == 0)
        return;
    const float *value = b->value[layer - 1];
    float *below = b->adjoint[layer - 1];
    product(false, true, b->batch, in, out, adjoint, b->tensor[2 * layer].draw, 0, below);
    for (size_t i = 0; i < b->batch * in; i += LANES)
        v_store(below + i, v_where(v_load(value + i) > 0, v_load(below + i)));
}

void gb_hand_bayes_run(void *bayes)
{
    gb_hand_bayes *b = bayes;
    double kl = 0;
    for (int i = 0; i < GB_HAND_TENSORS; i++)
        kl += draw(b, &b->tensor[i]);
    for (int layer = 0; layer < GB_HAND_LAYERS; layer++)
        forward(b, layer);
    b->loss = softmax(b) + kl / b->data_size;
    for (int layer = GB_HAND_LAYERS; layer-- > 0;)
        backward(b, layer);
    for (int i = 0; i < GB_HAND_TENSORS; i++)
        update(b, &b->tensor[i]);
    b->step++;
}

/* ---- memory ---- */

static int take(float **array, size_t count)
{
    if (*array)
        return 1;
    const size_t bytes = (count * sizeof(float) + 511) / 256 * 256;
    *array = aligned_alloc(256, bytes);
    if (*array)
        memset(*array, 0, bytes);
    return *array != NULL;
}

int gb_hand_bayes_begin(gb_hand_bayes *b)
{
    int good = gb_blas_load() != NULL;
    for (int i = 0; i < GB_HAND_TENSORS; i++) {
        gb_hand_tensor *tensor = &b->tensor[i];
        tensor->count = b->width[i / 2 + 1] * (i % 2 ? 1 : b->width[i / 2]);
        float **const arrays[] = {&tensor->mu,   &tensor->rho,   &tensor->mu_m,
                                  &tensor->mu_v, &tensor->rho_m, &tensor->rho_v,
                                  &tensor->draw, &tensor->noise, &tensor->gradient};
        for (size_t j = 0; j < sizeof arrays / sizeof *arrays; j++)
            good &= take(arrays[j], tensor->count);
    }
    for (int layer = 0; layer < GB_HAND_LAYERS; layer++) {
        good &= take(&b->value[layer], b->batch * b->width[layer + 1]);
        good &= take(&b->adjoint[layer], b->batch * b->width[layer + 1]);
    }
    return good;
}
