/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local reparameterisation (Kingma, Salimans and Welling 2015), fused by hand: the network of hand_bayes.c
 * whose pre-activations are drawn for each row. A step goes over the weights twice: for KL and the variances,
 * and for the gradient and Adam. Between are twice as many products as with one draw of the weights. */
#define GB_ISA hand_local
#include "hand_bayes_impl.h"

static const float least = 1e-36f; /* variance of a row of zeros */

/* ---- the weights ---- */

/* Stores sigma². Returns KL. */
static double variances(const gb_hand_bayes *b, gb_hand_tensor *tensor)
{
    const V two_precision = v_splat(0.5 / (b->prior * b->prior));
    D kl = {0};
    for (size_t i = 0; i < tensor->count; i += LANES) {
        V t, k, there = v_splat(1);
        for (size_t lane = tensor->count - i; lane < LANES; lane++)
            there[lane] = 0;
        const V mu = v_load(tensor->mu + i), sigma = deviation(v_load(tensor->rho + i), &t);
        const V m = v_log_split(sigma, &k), square = sigma * sigma;
        v_store(tensor->draw + i, square);
        const V term = two_precision * v_fma(mu, mu, square) - v_log_of_parts(m - 1, k);
        kl = v_add_to(kl, there * term);
    }
    return v_sum_wide(kl) + (double)tensor->count * (log(b->prior) - 0.5);
}

/* The slope in sigma² stands in `noise`. */
static void update(const gb_hand_bayes *b, gb_hand_tensor *tensor)
{
    const adam a = adam_of(b);
    const V weight = v_splat(1 / b->data_size), precision = v_splat(1 / (b->prior * b->prior * b->data_size));
    for (size_t i = 0; i < tensor->count; i += LANES) {
        const V mu = v_load(tensor->mu + i), rho = v_load(tensor->rho + i);
        V t;
        const V sigma = deviation(rho, &t);
        const V in_mu = v_fma(precision, mu, v_load(tensor->gradient + i));
        /* (2 slope sigma + precision sigma - weight / sigma) sigmoid(rho), with one division */
        const V without = (2 * v_load(tensor->noise + i) + precision) * sigma;
        const V numerator = v_fma(without, sigma, -weight) * v_if_less(rho, v_splat(0), t, v_splat(1));
        const V in_rho = numerator / (sigma * (1 + t));
        adam_vector(&a, tensor->mu_m + i, tensor->mu_v + i, tensor->mu + i, mu, in_mu);
        adam_vector(&a, tensor->rho_m + i, tensor->rho_v + i, tensor->rho + i, rho, in_rho);
    }
}

/* ---- the network ---- */

static void repeat(size_t rows, size_t columns, const float *row, float *to)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * columns, row, columns * sizeof *to);
}

/* Draws the pre-activations of `count` elements from i on, and keeps noise / 2 sd, their slope in the
 * variance. */
static void draw(gb_hand_local *l, int layer, size_t i, size_t count, const float *noise)
{
    const bool is_hidden = layer + 1 < GB_HAND_LAYERS;
    float *const value = l->net.value[layer];
    for (size_t j = i; j < i + count; j += LANES) {
        const V variance = v_load(l->variance[layer] + j), e = v_load(noise + (j - i)),
                root = v_sqrt(v_at_least(variance, least));
        V x = v_fma(root, e, v_load(value + j));
        x = is_hidden ? v_at_least(x, 0) : x;
        v_store(value + j, x);
        v_store(l->variance[layer] + j, v_where(variance > least, 0.5f * e / root));
        if (is_hidden)
            v_store(l->square[layer + 1] + j, x * x);
    }
}

static void forward(gb_hand_local *l, int layer)
{
    gb_hand_bayes *const b = &l->net;
    const gb_hand_tensor *const w = &b->tensor[2 * layer], *const bias = w + 1;
    const size_t in = b->width[layer], out = b->width[layer + 1], count = b->batch * out;
    const gb_noise_state state = {.key = l->key[layer], .step = &b->step, .count = count};
    const philox p = philox_of(&state);
    real noise[GROUP] __attribute__((aligned(64)));
    for (size_t i = 0; layer == 0 && i < b->batch * in; i += LANES)
        v_store(l->square[0] + i, v_load(b->x + i) * v_load(b->x + i));
    repeat(b->batch, out, bias->mu, b->value[layer]);
    repeat(b->batch, out, bias->draw, l->variance[layer]);
    product(false, false, b->batch, out, in, input_of(b, layer), w->mu, 1, b->value[layer]);
    product(false, false, b->batch, out, in, l->square[layer], w->draw, 1, l->variance[layer]);
    for (size_t i = 0; i < count; i += GROUP) {
        fill_group(noise, &p, i / GROUP, GB_NOISE_GROUP_LINES, true);
        draw(l, layer, i, count - i < (size_t)GROUP ? count - i : (size_t)GROUP, noise);
    }
}

static void backward(gb_hand_local *l, int layer)
{
    gb_hand_bayes *const b = &l->net;
    gb_hand_tensor *const w = &b->tensor[2 * layer], *const bias = w + 1;
    const size_t in = b->width[layer], out = b->width[layer + 1];
    const float *const adjoint = b->adjoint[layer];
    float *const in_variance = l->variance[layer];
    for (size_t i = 0; i < b->batch * out; i += LANES)
        v_store(in_variance + i, v_load(in_variance + i) * v_load(adjoint + i));
    bias_gradient(b, adjoint, out, bias->gradient);
    bias_gradient(b, in_variance, out, bias->noise);
    product(true, false, in, out, b->batch, input_of(b, layer), adjoint, 0, w->gradient);
    product(true, false, in, out, b->batch, l->square[layer], in_variance, 0, w->noise);
    if (layer == 0)
        return;
    const float *const value = b->value[layer - 1];
    float *const below = b->adjoint[layer - 1], *const square = l->square[layer];
    product(false, true, b->batch, in, out, adjoint, w->mu, 0, below);
    product(false, true, b->batch, in, out, in_variance, w->draw, 0, square); /* not needed any more */
    for (size_t i = 0; i < b->batch * in; i += LANES) {
        const V x = v_load(value + i);
        v_store(below + i, v_where(x > 0, v_fma(2 * x, v_load(square + i), v_load(below + i))));
    }
}

void gb_hand_local_run(void *local)
{
    gb_hand_local *const l = local;
    gb_hand_bayes *const b = &l->net;
    double kl = 0;
    for (int i = 0; i < GB_HAND_TENSORS; i++)
        kl += variances(b, &b->tensor[i]);
    for (int layer = 0; layer < GB_HAND_LAYERS; layer++)
        forward(l, layer);
    b->loss = softmax(b) + kl / b->data_size;
    for (int layer = GB_HAND_LAYERS; layer-- > 0;)
        backward(l, layer);
    for (int i = 0; i < GB_HAND_TENSORS; i++)
        update(b, &b->tensor[i]);
    b->step++;
}

int gb_hand_local_begin(gb_hand_local *l)
{
    int good = gb_hand_bayes_begin(&l->net);
    for (int layer = 0; layer < GB_HAND_LAYERS; layer++) {
        good &= take(&l->square[layer], l->net.batch * l->net.width[layer]);
        good &= take(&l->variance[layer], l->net.batch * l->net.width[layer + 1]);
    }
    return good;
}

void gb_hand_local_end(gb_hand_local *l)
{
    gb_hand_bayes_end(&l->net);
    for (int layer = 0; layer < GB_HAND_LAYERS; layer++) {
        free(l->square[layer]);
        free(l->variance[layer]);
    }
}
