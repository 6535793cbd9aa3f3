/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posteriors whose moments are known by a formula, or by quadrature: a funnel, a banana, two modes, a normal
 * with a condition number of 1e6. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trust.h"

static const double infinity = HUGE_VAL;

static trust_number number(const char *name, trust_kind kind, double mean, double sd)
{
    trust_number n = {.kind = kind,
                      .mean = mean,
                      .sd = sd,
                      .q05 = mean - 1.6448536269514722 * sd,
                      .q50 = mean,
                      .q95 = mean + 1.6448536269514722 * sd,
                      .ess = infinity,
                      .rhat = 1};
    snprintf(n.name, sizeof n.name, "%s", name);
    return n;
}

/* The quantile p of a number whose distribution function is an average over normals: mean[i], sd[i]. */
static double quantile(size_t count, const double *mean, const double *sd, double p)
{
    double low = -1e6, high = 1e6;
    for (int i = 0; i < 200; i++) {
        const double x = 0.5 * (low + high);
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += 0.5 * erfc((mean[k] - x) / sd[k] * 0.70710678118654752);
        *(sum < p * (double)count ? &low : &high) = x;
    }
    return 0.5 * (low + high);
}

/* ---- Neal's funnel: v ~ N(0, 3), x ~ N(0, e^(v/2)) ---- */

enum { FUNNEL = 9 };

static void funnel(trust *m)
{
    const gb_latent_part parts[] = {{.name = "v", .prior = trust_normal(m, 0, 3)},
                                    {.name = "x", .shape = gb_shape(FUNNEL), .prior = gb_no_prior}};
    gb_node w[2];
    trust_block(m, 2, parts, w);
    gb_prior(m->e, "x given v", gb_normal(trust_num(m, 0), gb_exp(gb_scale(w[0], 0.5))), w[1]);
    trust_tell(m, "v", w[0], TRUST_LIGHT);
    trust_tell(m, "x", w[1], TRUST_HEAVY);
}

static void funnel_exact(trust_number *n)
{
    enum { POINTS = 4001 };
    static double mean[POINTS], sd[POINTS]; /* v at equal steps of its probability would miss its tails */
    double v[3] = {0.05, 0.5, 0.95};
    for (size_t k = 0; k < POINTS; k++) {
        double low = -40, high = 40;
        for (int i = 0; i < 100; i++) {
            const double x = 0.5 * (low + high);
            *(0.5 * erfc(-x / 3 * 0.70710678118654752) < ((double)k + 0.5) / POINTS ? &low : &high) = x;
        }
        sd[k] = exp(0.25 * (low + high));
    }
    n[0] = number("v", TRUST_LIGHT, 0, 3);
    for (size_t i = 0; i < 3; i++)
        v[i] = quantile(POINTS, mean, sd, v[i]);
    for (size_t i = 1; i <= FUNNEL; i++) {
        n[i] = number("x", TRUST_HEAVY, 0, exp(2.25));
        snprintf(n[i].name, sizeof n[i].name, "x[%zu]", i - 1);
        n[i].q05 = v[0], n[i].q50 = v[1], n[i].q95 = v[2];
    }
}

/* ---- a banana: x ~ N(0, 10), y ~ N(0.03 (x² − 100), 1) ---- */

static void banana(trust *m)
{
    const gb_latent_part parts[] = {{.name = "x", .prior = trust_normal(m, 0, 10)},
                                    {.name = "y", .prior = gb_no_prior}};
    gb_node w[2];
    trust_block(m, 2, parts, w);
    gb_prior(m->e, "y given x", gb_normal(gb_scale(gb_shift(gb_square(w[0]), -100), 0.03), trust_num(m, 1)),
             w[1]);
    trust_tell(m, "x", w[0], TRUST_LIGHT);
    trust_tell(m, "y", w[1], TRUST_LIGHT);
}

static void banana_exact(trust_number *n)
{
    n[0] = number("x", TRUST_LIGHT, 0, 10);
    n[1] = number("y", TRUST_LIGHT, 0, sqrt(1 + 2 * 0.03 * 0.03 * 1e4));
}

/* ---- two modes ---- */

/* p N((−d/2, 0), 1) + (1 − p) N((d/2, 0), 1). */
static void modes(trust *m, double d, double p)
{
    const gb_latent_part part = {.name = "x", .shape = gb_shape(2), .prior = gb_no_prior};
    gb_node w;
    trust_block(m, 1, &part, &w);
    const gb_node x = gb_reshape(gb_slice(w, 0, 0, 1), gb_shape()),
                  y = gb_reshape(gb_slice(w, 0, 1, 2), gb_shape());
    gb_factor(m->e, "modes",
              gb_logaddexp(gb_shift(gb_log_prob(trust_normal(m, -d / 2, 1), x), log(p)),
                           gb_shift(gb_log_prob(trust_normal(m, d / 2, 1), x), log(1 - p))));
    gb_factor(m->e, "y", gb_log_prob(trust_normal(m, 0, 1), y));
    trust_tell(m, "x", w, TRUST_LIGHT);
}

static void modes_exact(trust_number *n, double d, double p)
{
    n[0] = number("x[0]", TRUST_LIGHT, d * (0.5 - p), sqrt(1 + d * d * p * (1 - p)));
    n[1] = number("x[1]", TRUST_LIGHT, 0, 1);
}

static void modes_near(trust *m)
{
    modes(m, 2, 0.5);
}

static void modes_near_exact(trust_number *n)
{
    modes_exact(n, 2, 0.5);
}

static void modes_apart(trust *m)
{
    modes(m, 10, 0.5);
}

static void modes_apart_exact(trust_number *n)
{
    modes_exact(n, 10, 0.5);
}

static void modes_unequal(trust *m)
{
    modes(m, 10, 0.2);
}

static void modes_unequal_exact(trust_number *n)
{
    modes_exact(n, 10, 0.2);
}

/* ---- a normal of 20 numbers, turned by random reflections; variances from 1e-3 to 1e3 ---- */

enum { N = 20 };

static void turned(double *mean, double *covariance, double *precision)
{
    trust_rng r = {20};
    double a[N][N] = {{0}};
    for (size_t i = 0; i < N; i++)
        a[i][i] = 1;
    for (int k = 0; k < N; k++) { /* a ← a (1 − 2 v vᵀ) */
        double v[N], norm = 0;
        for (size_t i = 0; i < N; i++) {
            v[i] = trust_gauss(&r);
            norm += v[i] * v[i];
        }
        for (size_t i = 0; i < N; i++) {
            double dot = 0;
            for (size_t j = 0; j < N; j++)
                dot += a[i][j] * v[j];
            for (size_t j = 0; j < N; j++)
                a[i][j] -= 2 * dot * v[j] / norm;
        }
    }
    for (size_t i = 0; i < N; i++) {
        mean[i] = 5 * trust_gauss(&r);
        for (size_t j = 0; j < N; j++) {
            covariance[i * N + j] = precision[i * N + j] = 0;
            for (size_t k = 0; k < N; k++) {
                const double variance = pow(10, 6. * (double)k / (N - 1) - 3);
                covariance[i * N + j] += a[i][k] * a[j][k] * variance;
                precision[i * N + j] += a[i][k] * a[j][k] / variance;
            }
        }
    }
}

static void normal20(trust *m)
{
    double mean[N], covariance[N * N], precision[N * N];
    turned(mean, covariance, precision);
    const gb_latent_part part = {.name = "x", .shape = gb_shape(N), .prior = gb_no_prior};
    gb_node w;
    trust_block(m, 1, &part, &w);
    const gb_node x = gb_sub(w, trust_vector(m, N, mean));
    gb_factor(m->e, "normal", gb_scale(gb_dot(x, gb_matmul(trust_matrix(m, N, N, precision), x)), -0.5));
    trust_tell(m, "x", w, TRUST_LIGHT);
}

static void normal20_exact(trust_number *n)
{
    double mean[N], covariance[N * N], precision[N * N];
    turned(mean, covariance, precision);
    for (size_t i = 0; i < N; i++) {
        n[i] = number("x", TRUST_LIGHT, mean[i], sqrt(covariance[i * (N + 1)]));
        snprintf(n[i].name, sizeof n[i].name, "x[%zu]", i);
    }
}

const trust_model trust_known_models[] = {
    {"funnel", funnel, TRUST_FAR, funnel_exact, NULL},
    {"banana", banana, TRUST_FAR, banana_exact, NULL},
    {"modes_near", modes_near, TRUST_FAR, modes_near_exact, NULL},
    {"modes_apart", modes_apart, TRUST_FAR, modes_apart_exact, NULL},
    {"modes_unequal", modes_unequal, TRUST_FAR, modes_unequal_exact, NULL},
    {"normal20", normal20, TRUST_FAR, normal20_exact, NULL},
    {0}};
