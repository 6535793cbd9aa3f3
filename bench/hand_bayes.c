/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayes by Backprop, fused by hand. A step goes over the weights twice: first to draw them and to sum KL;
 * then, after the matrix products, for the gradient of both and Adam. */
#define GB_ISA hand
#include "hand_bayes_impl.h"

/* ---- drawing ---- */

typedef struct drawing {
    V two_precision; /* 1/2 prior^-2 */
    D kl;
} drawing;

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

static void update(const gb_hand_bayes *b, gb_hand_tensor *tensor)
{
    const adam a = adam_of(b);
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

static void backward(gb_hand_bayes *b, int layer)
{
    const size_t in = b->width[layer], out = b->width[layer + 1];
    const float *adjoint = b->adjoint[layer];
    bias_gradient(b, adjoint, out, b->tensor[2 * layer + 1].gradient);
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

void gb_hand_bayes_end(gb_hand_bayes *hand)
{
    for (int i = 0; i < GB_HAND_TENSORS; i++) {
        const gb_hand_tensor *t = &hand->tensor[i];
        float *const arrays[] = {t->mu,    t->rho,  t->mu_m,  t->mu_v,    t->rho_m,
                                 t->rho_v, t->draw, t->noise, t->gradient};
        for (size_t j = 0; j < sizeof arrays / sizeof *arrays; j++)
            free(arrays[j]);
    }
    for (int layer = 0; layer < GB_HAND_LAYERS; layer++) {
        free(hand->value[layer]);
        free(hand->adjoint[layer]);
    }
}
