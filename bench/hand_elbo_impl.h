/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence lower bound of logistic regression under independent normals, with its gradient in their
 * parameters. */
#include "core/kernels/noise_impl.h"
gb_block_kernel GB_BLOCK(uniform), GB_BLOCK(normal);
#include "core/kernels/noise_vector.c" /* Philox and normal draws, inline */

#include "hand_logistic_impl.h"

/* So many samples at a time that the values between the two products stay in the second-level cache. */
enum { TOGETHER = 64, MOST_COLUMNS = 32 };

typedef struct posterior {
    double mu[MOST_COLUMNS], sigma[MOST_COLUMNS], slope[MOST_COLUMNS]; /* of sigma in rho */
    double in_mu[MOST_COLUMNS], in_sigma[MOST_COLUMNS];
} posterior;

/* Sets both gradients to those of the KL divergence from the standard normal, and returns the divergence. */
static double divergence(const gb_hand_elbo *e, posterior *q)
{
    const real *const mu = e->mu, *const rho = e->rho;
    double kl = 0;
    for (size_t j = 0; j < e->model.columns; j++) {
        const double m = (double)mu[j], r = (double)rho[j], t = exp(-fabs(r)), s = fmax(r, 0) + log1p(t);
        kl += 0.5 * (s * s + m * m - 1) - log(s);
        q->mu[j] = m;
        q->sigma[j] = s;
        q->slope[j] = (r < 0 ? t : 1) / (1 + t);
        q->in_mu[j] = m;
        q->in_sigma[j] = s - 1 / s;
    }
    return kl;
}

static void make_noise(gb_hand_elbo *e)
{
    const size_t count = e->model.samples * e->model.columns, line = GROUP / GB_NOISE_GROUP_LINES;
    const gb_noise_state noises = {.key = e->key, .step = &e->step, .count = count};
    const philox p = philox_of(&noises);
    for (size_t i = 0; i < count; i += GROUP)
        fill_group((real *)e->noise + i, &p, i / GROUP, (count - i + line - 1) / line, true);
    e->step++;
}

static void draw(const gb_hand_elbo *e, const posterior *q)
{
    const size_t columns = e->model.columns;
    const real *const noise = e->noise;
    real *const w = e->w;
    for (size_t i = 0; i < e->model.samples; i++)
        for (size_t j = 0; j < columns; j++)
            w[i * columns + j] = (real)q->mu[j] + (real)q->sigma[j] * noise[i * columns + j];
}

/* Subtracts the mean log-likelihood of `count` samples from `first` on, and its gradients. */
static double take_samples(gb_hand_elbo *e, posterior *q, size_t first, size_t count)
{
    const size_t columns = e->model.columns, begin = first * columns;
    gb_hand_logistic part = e->model;
    part.samples = count;
    part.w = (const real *)e->w + begin;
    (count == 1 ? one_pass : by_products)(&part);
    const real *gradient = part.gradient, *noise = (const real *)e->noise + begin;
    const double each = 1 / (double)e->model.samples;
    double value = 0;
    for (size_t i = 0; i < count; i++, gradient += columns, noise += columns) {
        value += part.value[i];
        for (size_t j = 0; j < columns; j++) {
            q->in_mu[j] -= each * (double)gradient[j];
            q->in_sigma[j] -= each * (double)(gradient[j] * noise[j]);
        }
    }
    return value * each;
}

static void elbo_of_noise(void *context)
{
    gb_hand_elbo *const e = context;
    posterior q;
    real *const in_mu = e->in_mu, *const in_rho = e->in_rho;
    e->loss = divergence(e, &q);
    draw(e, &q);
    for (size_t first = 0; first < e->model.samples; first += TOGETHER) {
        const size_t left = e->model.samples - first;
        e->loss -= take_samples(e, &q, first, left < TOGETHER ? left : TOGETHER);
    }
    for (size_t j = 0; j < e->model.columns; j++) {
        in_mu[j] = (real)q.in_mu[j];
        in_rho[j] = (real)(q.in_sigma[j] * q.slope[j]);
    }
}

static void elbo(void *context)
{
    make_noise(context);
    elbo_of_noise(context);
}
