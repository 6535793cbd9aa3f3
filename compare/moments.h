/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments of a stream of numbers, batch by batch (Chan, Golub and LeVeque 1983; Pébay 2008). */
#ifndef GREBE_COMPARE_MOMENTS_H
#define GREBE_COMPARE_MOMENTS_H

#include "../core/export.h"

#include <stddef.h>

GB_BEGIN_DECLS

typedef struct gb_moments {
    double count, mean;
    double second, third, fourth; /* sums of powers of the distances from the mean */
} gb_moments;

/* Adds the `count` numbers x[0], x[stride], x[2 stride] … Begin with zeros. A NULL adds nothing, and has the variance NaN. */
GB_API void gb_moments_add(gb_moments *m, size_t count, const double *x, size_t stride);

/* The variance of one number; NaN for fewer than two numbers. */
GB_API double gb_moments_variance(const gb_moments *m);

/* The standard error of that variance, from the kurtosis. */
GB_API double gb_moments_variance_error(const gb_moments *m);

/* 3 for a normal distribution; NaN where nothing varies. */
GB_API double gb_moments_kurtosis(const gb_moments *m);

GB_END_DECLS
#endif
