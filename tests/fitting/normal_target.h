/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal posteriors with known moments. Include support/close.h first. */
#ifndef GREBE_TESTS_NORMAL_TARGET_H
#define GREBE_TESTS_NORMAL_TARGET_H

#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { TARGET_MOST = 20 };

typedef struct normal_target {
    int n;
    double mean[TARGET_MOST], precision[TARGET_MOST * TARGET_MOST], covariance[TARGET_MOST * TARGET_MOST];
} normal_target;

/* Precisions from 1 to `condition` along random orthogonal axes, all divided by unit²; means within `far`
 * units of 0. */
static inline void normal_target_fill(normal_target *a, int n, double condition, double far, double unit,
                                      unsigned seed)
{
    double axis[TARGET_MOST * TARGET_MOST];
    *a = (normal_target){.n = n};
    for (int i = 0; i < n * n; i++) {
        seed = seed * 1664525u + 1013904223u;
        axis[i] = seed / 4294967296.0 - 0.5;
    }
    for (int i = 0; i < n; i++) { /* Gram and Schmidt, twice */
        for (int again = 0; again < 2; again++)
            for (int k = 0; k < i; k++) {
                double dot = 0;
                for (int j = 0; j < n; j++)
                    dot += axis[i * n + j] * axis[k * n + j];
                for (int j = 0; j < n; j++)
                    axis[i * n + j] -= dot * axis[k * n + j];
            }
        double norm = 0;
        for (int j = 0; j < n; j++)
            norm += axis[i * n + j] * axis[i * n + j];
        for (int j = 0; j < n; j++)
            axis[i * n + j] /= sqrt(norm);
    }
    for (int k = 0; k < n; k++) {
        const double p = pow(condition, n > 1 ? (double)k / (n - 1) : 0) / (unit * unit);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                a->precision[i * n + j] += p * axis[k * n + i] * axis[k * n + j];
                a->covariance[i * n + j] += axis[k * n + i] * axis[k * n + j] / p;
            }
    }
    for (int i = 0; i < n; i++)
        a->mean[i] = far * unit * sin(1 + 2.0 * i);
}

static inline gb_elbo *normal_target_elbo(gb_tape *t, const normal_target *a, gb_family family)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const size_t n = (size_t)a->n;
    const gb_node w = gb_latent(e, "w", family, gb_no_prior, gb_pathwise()),
                  off = gb_sub(w, gb_constant(t, gb_shape(a->n), gb_values_of(a->mean, n))),
                  p = gb_constant(t, gb_shape(a->n, a->n), gb_values_of(a->precision, n * n));
    gb_factor(e, "target", gb_scale(gb_sum(gb_mul(off, gb_matmul(p, off))), -0.5));
    return e;
}

#endif
