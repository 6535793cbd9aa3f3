/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayesian linear regression of which all is known: y ~ N(x w, noise²), w ~ N(0, prior²) for each weight. */
#ifndef GREBE_TESTS_REGRESSION_H
#define GREBE_TESTS_REGRESSION_H

enum { REGRESSION_ROWS = 12, REGRESSION_COLUMNS = 3 };
static const double REGRESSION_NOISE = 0.7, REGRESSION_PRIOR = 1.5;

/* Some data, and what follows from them: log Z, and of the posterior the mean, the diagonal of its
 * precision, and L of its covariance L Lᵀ. Of independent normals those with its mean and that
 * diagonal are the best, by `gap` below log Z. */
typedef struct regression {
    double x[REGRESSION_ROWS * REGRESSION_COLUMNS], y[REGRESSION_ROWS];
    double log_z, gap;
    double mean[REGRESSION_COLUMNS], precision[REGRESSION_COLUMNS];
    double root[REGRESSION_COLUMNS * REGRESSION_COLUMNS];
} regression;

regression regression_solved(void);

/* What softplus makes y of. */
double inverse_softplus(double y);

#endif
