/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step of MC-dropout (Gal and Ghahramani 2016) by hand: one hidden layer of ReLU units and one output,
 * masks of what enters each layer for each row, points with weight decay, and Adam. */
#define GB_ISA hand_dropout
#include "hand_bayes_impl.h"

enum { W1, B1, W2, B2 };

/* to = x where its uniform is below keep, divided by keep; else 0. */
static void drop(const gb_hand_dropout *d, int layer, const float *x, size_t count, float *to)
{
    const gb_noise_state state = {.key = d->key[layer], .step = &d->step, .count = count};
    const philox p = philox_of(&state);
    const V keep = v_splat(d->keep), by = v_splat(1 / d->keep);
    real uniform[GROUP] __attribute__((aligned(64)));
    for (size_t i = 0; i < count; i += GROUP) {
        fill_group(uniform, &p, i / GROUP, GB_NOISE_GROUP_LINES, false);
        for (size_t j = i; j < count && j < i + (size_t)GROUP; j += LANES)
            v_store(to + j, v_where(v_load(uniform + (j - i)) < keep, by * v_load(x + j)));
    }
}

static void forward(gb_hand_dropout *d)
{
    const size_t in = d->width[0], units = d->width[1], rows = d->batch;
    const float *const w2 = d->tensor[W2].value;
    drop(d, 0, d->x, rows * in, d->input);
    for (size_t row = 0; row < rows; row++)
        memcpy(d->hidden + row * units, d->tensor[B1].value, units * sizeof *d->hidden);
    product(false, false, rows, units, in, d->input, d->tensor[W1].value, 1, d->hidden);
    for (size_t i = 0; i < rows * units; i += LANES)
        v_store(d->hidden + i, v_at_least(v_load(d->hidden + i), 0));
    drop(d, 1, d->hidden, rows * units, d->hidden);
    for (size_t row = 0; row < rows; row++) {
        float sum = d->tensor[B2].value[0];
        for (size_t i = 0; i < units; i++)
            sum += d->hidden[row * units + i] * w2[i];
        d->output[row] = sum;
    }
}

/* Kept units are those whose value is not 0; a dropped one has no gradient, nor has one below 0. */
static double backward(gb_hand_dropout *d)
{
    const size_t in = d->width[0], units = d->width[1], rows = d->batch;
    const float *const w2 = d->tensor[W2].value;
    float *const in_w2 = d->tensor[W2].gradient, in_f = (float)(d->precision / (double)rows),
                 by = (float)(1 / d->keep);
    double squares = 0;
    float in_b2 = 0;
    memset(in_w2, 0, units * sizeof *in_w2);
    memset(d->tensor[B1].gradient, 0, units * sizeof(float));
    for (size_t row = 0; row < rows; row++) {
        const float off = d->output[row] - d->y[row], g = in_f * off;
        float *const h = d->hidden + row * units;
        squares += (double)off * (double)off;
        in_b2 += g;
        for (size_t i = 0; i < units; i++) {
            in_w2[i] += g * h[i];
            h[i] = h[i] > 0 ? g * by * w2[i] : 0;
            d->tensor[B1].gradient[i] += h[i];
        }
    }
    d->tensor[B2].gradient[0] = in_b2;
    product(true, false, in, units, rows, d->input, d->hidden, 0, d->tensor[W1].gradient);
    return 0.5 * d->precision * squares / (double)rows + 0.5 * log(6.283185307179586477 / d->precision);
}

/* Returns log prior / N. Adam's terms are those of hand_bayes.c. */
static double update(gb_hand_dropout *d)
{
    const gb_hand_bayes like = {
        .step = d->step, .rate = d->rate, .beta1 = d->beta1, .beta2 = d->beta2, .epsilon = d->epsilon};
    const adam a = adam_of(&like);
    const double precision = 1 / (d->prior * d->prior);
    const V decay = v_splat(precision / d->data_size);
    double squares = 0, count = 0;
    for (int k = W1; k <= B2; k++) {
        gb_hand_points *const t = &d->tensor[k];
        D sum = {0};
        for (size_t i = 0; i < t->count; i += LANES) {
            const V now = v_load(t->value + i), gradient = v_fma(decay, now, v_load(t->gradient + i));
            sum = v_add_to(sum, now * now); /* behind the end all are 0 */
            adam_vector(&a, t->m + i, t->v + i, t->value + i, now, gradient);
        }
        squares += v_sum_wide(sum);
        count += (double)t->count;
    }
    return (0.5 * precision * squares + count * (log(d->prior) + 0.5 * log(6.283185307179586477))) /
           d->data_size;
}

void gb_hand_dropout_run(void *dropout)
{
    gb_hand_dropout *const d = dropout;
    forward(d);
    d->loss = backward(d);
    d->loss += update(d);
    d->step++;
}

int gb_hand_dropout_begin(gb_hand_dropout *d)
{
    const size_t in = d->width[0], units = d->width[1];
    const size_t counts[] = {in * units, units, units, 1};
    int good = gb_blas_load() != NULL;
    for (int k = W1; k <= B2; k++) {
        gb_hand_points *const t = &d->tensor[k];
        t->count = counts[k];
        good &= take(&t->value, t->count) & take(&t->m, t->count) & take(&t->v, t->count) &
                take(&t->gradient, t->count);
    }
    return good & take(&d->input, d->batch * in) & take(&d->hidden, d->batch * units) &
           take(&d->output, d->batch);
}

void gb_hand_dropout_end(gb_hand_dropout *d)
{
    for (int k = W1; k <= B2; k++) {
        free(d->tensor[k].value);
        free(d->tensor[k].m);
        free(d->tensor[k].v);
        free(d->tensor[k].gradient);
    }
    free(d->input);
    free(d->hidden);
    free(d->output);
}
