/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments of a stream of numbers, batch by batch (Chan, Golub and LeVeque 1983; Pébay 2008). */
#ifndef GREBE_ESTIMATORS_MOMENTS_IMPL_H
#define GREBE_ESTIMATORS_MOMENTS_IMPL_H

#include <stddef.h>

typedef struct gb_moments {
    double count, mean;
    double second, third, fourth; /* sums of powers of the distances from the mean */
} gb_moments;

/* x[0], x[stride] … of `count`. */
void gb_moments_add(gb_moments *m, size_t count, const double *x, size_t stride);

double gb_moments_variance(const gb_moments *m);       /* of one number; NaN for fewer than two */
double gb_moments_variance_error(const gb_moments *m); /* its standard error, from the kurtosis */
double gb_moments_kurtosis(const gb_moments *m);       /* 3 for a normal; NaN where nothing varies */

#endif
