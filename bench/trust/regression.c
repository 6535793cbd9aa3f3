/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regressions: a Poisson Gaussian process, an ordinal outcome, separated data, a horseshoe prior. */
#include <math.h>
#include <stdlib.h>

#include "trust.h"

/* ---- a Gaussian process with counts ---- */

enum { PLACES = 20 };

static void poisson_gp(trust *m)
{
    double y[PLACES], k[PLACES * PLACES];
    trust_rng r = {21};
    for (size_t i = 0; i < PLACES; i++) {
        y[i] = trust_poisson(&r, exp(1 + 1.2 * sin(7 * (double)i / PLACES)));
        for (size_t j = 0; j < PLACES; j++) {
            const double distance = ((double)i - (double)j) / (0.15 * PLACES);
            k[i * PLACES + j] = exp(-0.5 * distance * distance) + (i == j ? 1e-4 : 0);
        }
    }
    const gb_latent_part parts[] = {
        {.name = "level", .prior = trust_normal(m, 0, 2)},
        {.name = "f",
         .shape = gb_shape(PLACES),
         .prior = gb_multivariate_normal(gb_zeros(m->t, gb_shape(PLACES)),
                                         gb_cholesky(trust_matrix(m, PLACES, PLACES, k)))}};
    gb_node w[2];
    trust_block(m, 2, parts, w);
    gb_observe(m->e, "y", gb_poisson(gb_exp(gb_add(w[0], w[1]))), trust_vector(m, PLACES, y));
    trust_tell(m, "level", w[0], TRUST_LIGHT);
    trust_tell(m, "f", w[1], TRUST_LIGHT);
}

/* ---- an outcome of four ordered categories ---- */

enum { ORDINAL = 120, SLOPES = 3, CATEGORIES = 4 };

static void ordinal(trust *m)
{
    static const double slope[SLOPES] = {1, -0.7, 0.3}, cut[CATEGORIES - 1] = {-1, 0.4, 1.8};
    double x[ORDINAL * SLOPES];
    int64_t rows[CATEGORIES][ORDINAL];
    int64_t count[CATEGORIES] = {0};
    trust_rng r = {22};
    for (int64_t i = 0; i < ORDINAL; i++) {
        const double u = trust_uniform(&r, 0, 1);
        double latent = log(u / (1 - u));
        int category = 0;
        for (size_t j = 0; j < SLOPES; j++) {
            const double it = trust_gauss(&r);
            latent += slope[j] * it;
            x[(size_t)i * SLOPES + j] = m->x * it;
        }
        while (category < CATEGORIES - 1 && latent > cut[category])
            category++;
        rows[category][count[category]++] = i;
    }
    const gb_latent_part parts[] = {
        {.name = "beta", .shape = gb_shape(SLOPES), .prior = trust_normal(m, 0, 2.5 / m->x)},
        {.name = "cut",
         .shape = gb_shape(CATEGORIES - 1),
         .prior = gb_no_prior,
         .support = &gb_ordered_domain}};
    gb_node w[2];
    trust_block(m, 2, parts, w);
    gb_prior(m->e, "prior of cut", trust_normal(m, 0, 5), w[1]);
    const gb_node at = gb_matmul(trust_matrix(m, ORDINAL, SLOPES, x), w[0]);
    /* With a and b above and below: log (s(a) − s(b)) = log s(a) + log s(−b) + log (1 − e^(b − a)). */
    for (int k = 0; k < CATEGORIES; k++) {
        const gb_node here = gb_gather(at, 0, gb_ints(m->t, gb_shape(count[k]), rows[k]));
        const gb_node above = k < CATEGORIES - 1 ? gb_sub(gb_slice(w[1], 0, k, k + 1), here) : here,
                      below = k > 0 ? gb_sub(gb_slice(w[1], 0, k - 1, k), here) : here;
        gb_node log_p = k < CATEGORIES - 1 ? gb_log_sigmoid(above) : gb_log_sigmoid(gb_neg(below));
        if (k > 0 && k < CATEGORIES - 1)
            log_p = gb_add(gb_add(log_p, gb_log_sigmoid(gb_neg(below))), gb_log1mexp(gb_sub(below, above)));
        char name[16];
        snprintf(name, sizeof name, "y = %d", k);
        gb_log_likelihood(m->e, name, log_p);
    }
    trust_tell(m, "beta", gb_scale(w[0], m->x), TRUST_LIGHT);
    trust_tell(m, "cut", w[1], TRUST_LIGHT);
}

/* ---- a logistic regression whose data a threshold separates; the prior alone bounds the slope ---- */

enum { SEPARATED = 20 };

static void separated(trust *m)
{
    double x[SEPARATED], y[SEPARATED];
    for (size_t i = 0; i < SEPARATED; i++) {
        x[i] = m->x * (((double)i + 0.5) / SEPARATED - 0.5) * 4;
        y[i] = i >= SEPARATED / 2 + 1;
    }
    const gb_latent_part parts[] = {{.name = "level", .prior = trust_normal(m, 0, 5)},
                                    {.name = "slope", .prior = trust_normal(m, 0, 5 / m->x)}};
    gb_node w[2];
    trust_block(m, 2, parts, w);
    gb_observe(m->e, "y", gb_bernoulli_logits(gb_add(w[0], gb_mul(w[1], trust_vector(m, SEPARATED, x)))),
               trust_vector(m, SEPARATED, y));
    trust_tell(m, "level", w[0], TRUST_LIGHT);
    trust_tell(m, "slope", gb_scale(w[1], m->x), TRUST_LIGHT);
}

/* ---- a horseshoe: beta ~ N(0, tau lambda), lambda and tau half-Cauchy ---- */

enum { SHOE = 60, SHOES = 10 };

/* A half-Cauchy number from a standard normal one, tan(pi/2 Phi(a)): NUTS walks along its tails. */
static gb_node half_cauchy_of(gb_node a)
{
    const gb_node p = gb_scale(gb_ndtr(a), 0.5 * GB_PI), q = gb_scale(gb_ndtr(gb_neg(a)), 0.5 * GB_PI);
    return gb_div(gb_sin(p), gb_sin(q)); /* cos(p) = sin(pi/2 − p), without cancelling */
}

/* The data's sums: Xᵀ X, Xᵀ y, yᵀ y. */
typedef struct sums {
    double xx[SHOES * SHOES], xy[SHOES], yy;
} sums;

static sums sums_of(const double *x, const double *y)
{
    sums s = {.yy = 0};
    for (size_t i = 0; i < SHOE; i++) {
        s.yy += y[i] * y[i];
        for (size_t j = 0; j < SHOES; j++) {
            s.xy[j] += x[i * SHOES + j] * y[i];
            for (size_t k = 0; k < SHOES; k++)
                s.xx[j * SHOES + k] += x[i * SHOES + j] * x[i * SHOES + k];
        }
    }
    return s;
}

/* For NUTS, beta is integrated out: given the scales s = tau lambda it is normal, so that with
 * M = 1 + diag(s) Xᵀ X diag(s) / sigma² and v = diag(s) Xᵀ y / sigma²
 *
 *     log p(y) = −n log sigma − log det M / 2 − (yᵀ y / sigma² − vᵀ M⁻¹ v) / 2
 *
 * and beta = diag(s) (M⁻¹ v + M^(−1/2) noise). No coefficient ties its scale any longer. */
static void horseshoe_integrated(trust *m, const double *x, const double *y)
{
    const sums s = sums_of(x, y);
    const gb_dist normal = trust_normal(m, 0, 1);
    const gb_latent_part parts[] = {{.name = "lambda", .shape = gb_shape(SHOES), .prior = normal},
                                    {.name = "tau", .prior = normal},
                                    {.name = "sigma", .prior = gb_half_normal(trust_num(m, 3))}};
    gb_node w[3];
    trust_block(m, 3, parts, w);
    const gb_node lambda = half_cauchy_of(w[0]), tau = half_cauchy_of(w[1]);
    const gb_node sd = gb_div(gb_mul(lambda, tau), w[2]); /* in units of sigma */
    const gb_node tall = gb_reshape(sd, gb_shape(SHOES, 1)), wide = gb_reshape(sd, gb_shape(1, SHOES));
    const gb_node l = gb_cholesky(
        gb_add(gb_eye(m->t, SHOES), gb_mul(gb_mul(tall, trust_matrix(m, SHOES, SHOES, s.xx)), wide)));
    const gb_node v = gb_div(gb_mul(sd, trust_vector(m, SHOES, s.xy)), w[2]);
    const gb_node half = gb_triangular_solve_vector(l, v);
    const gb_node rest = gb_sub(gb_div(trust_num(m, s.yy), gb_square(w[2])), gb_sum(gb_square(half)));
    gb_log_likelihood(
        m->e, "y",
        gb_sub(gb_neg(gb_add(gb_scale(gb_log(w[2]), SHOE), gb_triangular_log_det(l))), gb_scale(rest, 0.5)));
    const gb_node noise = gb_normal_noise(gb_stream(m->t, "beta"), gb_shape(SHOES), GB_SAMPLES);
    const gb_node z = gb_triangular_solve_vector(l, gb_add(half, noise), .transpose = true);
    trust_tell(m, "beta", gb_mul(gb_mul(sd, w[2]), z), TRUST_LIGHT);
    trust_tell(m, "log tau", gb_log(tau), TRUST_LIGHT);
    trust_tell(m, "log lambda", gb_log(lambda), TRUST_LIGHT);
    trust_tell(m, "sigma", w[2], TRUST_LIGHT);
    trust_free_number(m, z);
    trust_free_number(m, gb_log(lambda));
    trust_free_number(m, gb_log(tau));
    trust_free_number(m, gb_log(w[2]));
}

static void horseshoe(trust *m)
{
    double x[SHOE * SHOES], y[SHOE];
    trust_rng r = {23};
    for (size_t i = 0; i < SHOE; i++) {
        double mean = 0;
        for (size_t j = 0; j < SHOES; j++) {
            const double it = trust_gauss(&r);
            mean += j == 0 ? 2 * it : j == 1 ? -1.5 * it : j == 2 ? 0.4 * it : 0;
            x[i * SHOES + j] = m->x * it;
        }
        y[i] = m->y * (mean + trust_gauss(&r));
    }
    if (m->for_reference) {
        horseshoe_integrated(m, x, y);
        return;
    }
    const gb_dist cauchy = gb_half_cauchy(trust_num(m, 1));
    const gb_latent_part parts[] = {{.name = "z", .shape = gb_shape(SHOES), .prior = trust_normal(m, 0, 1)},
                                    {.name = "lambda", .shape = gb_shape(SHOES), .prior = cauchy},
                                    {.name = "tau", .prior = cauchy},
                                    {.name = "sigma", .prior = gb_half_normal(trust_num(m, 3 * m->y))}};
    gb_node w[4];
    trust_block(m, 4, parts, w);
    const gb_node beta = gb_mul(gb_mul(w[0], w[1]), gb_scale(w[2], m->y / m->x));
    gb_observe(m->e, "y", gb_normal(gb_matmul(trust_matrix(m, SHOE, SHOES, x), beta), w[3]),
               trust_vector(m, SHOE, y));
    trust_tell(m, "beta", gb_scale(beta, m->x / m->y), TRUST_LIGHT);
    trust_tell(m, "log tau", gb_log(w[2]), TRUST_LIGHT);
    trust_tell(m, "log lambda", gb_log(w[1]), TRUST_LIGHT);
    trust_tell(m, "sigma", gb_scale(w[3], 1 / m->y), TRUST_LIGHT);
}

const trust_model trust_regression_models[] = {
    {"poisson_gp", poisson_gp, TRUST_FAR, NULL, NULL},
    {"ordinal", ordinal, TRUST_X | TRUST_FAR, NULL, NULL},
    {"separated", separated, TRUST_X | TRUST_FAR, NULL, NULL},
    {"horseshoe", horseshoe, TRUST_X | TRUST_Y | TRUST_FAR, NULL, NULL},
    {0}};
