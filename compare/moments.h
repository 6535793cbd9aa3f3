/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments of a stream of numbers, computed batch by batch (Chan, Golub and LeVeque 1983; Pébay 2008); and
 * numbers with their uncertainty. */
#ifndef GREBE_COMPARE_MOMENTS_H
#define GREBE_COMPARE_MOMENTS_H

#include "../core/export.h"

#include <stddef.h>

GB_BEGIN_DECLS

/* Sums of powers of estimates, from which moments follow. */
typedef struct gb_moments {
    double count, mean;
    double second, third, fourth; /* sums of powers of the deviations from the mean */
} gb_moments;

/* A number that was measured. `error` is its standard error; low … high is a 95 % interval. All are NaN if
 * the number is not known. */
typedef struct gb_figure {
    double value, error, low, high;
} gb_figure;

/* Adds the `count` numbers x[0], x[stride], x[2 stride] … to `m`, which starts as zeros. A NULL argument adds
 * nothing. */
GB_API void gb_moments_add(gb_moments *m, size_t count, const double *x, size_t stride);

/* Adds the numbers of `more` to `m`: any of these may have none yet. A NULL argument adds nothing. */
GB_API void gb_moments_join(gb_moments *m, const gb_moments *more);

/* Returns the unbiased variance; NaN for fewer than two numbers, or if `m` is NULL. */
GB_API double gb_moments_variance(const gb_moments *m);

/* Returns the standard error of that variance, from the kurtosis; NaN if either is NaN. For numbers above
 * 1e77 the fourth powers overflow; the error is then NaN or infinite. */
GB_API double gb_moments_variance_error(const gb_moments *m);

/* Returns the kurtosis: 3 for a normal distribution; NaN if all numbers are equal. */
GB_API double gb_moments_kurtosis(const gb_moments *m);

GB_END_DECLS
#endif
