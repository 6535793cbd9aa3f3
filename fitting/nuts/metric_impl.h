/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metric: momenta are N(0, Σ⁻¹), and the velocity of p is Σ p. Σ is to be the covariance of the draws. */
#ifndef GREBE_FITTING_NUTS_METRIC_IMPL_H
#define GREBE_FITTING_NUTS_METRIC_IMPL_H

#include "fitting/nuts.h"
#include "fitting/nuts/random_impl.h"

typedef struct gb_metric {
    gb_nuts_metric kind;
    size_t n;
    double *covariance; /* unit: none; diagonal: n variances; dense: n × n */
    double *root;       /* dense: L of L Lᵀ = Σ, of which the upper half is not used */
} gb_metric;

/* The numbers that `covariance` and `root` need together. */
size_t gb_metric_numbers(gb_nuts_metric kind, size_t n);

/* Sets Σ to the unit matrix, in `memory`. */
void gb_metric_begin(gb_metric *metric, gb_nuts_metric kind, size_t n, double *memory);

/* Takes the new Σ, which stands in `covariance`. Returns false if it is not positive definite. */
bool gb_metric_factor(gb_metric *metric);

void gb_metric_draw(const gb_metric *metric, gb_random *random, double *p);
void gb_metric_velocity(const gb_metric *metric, const double *p, double *velocity);

#endif
