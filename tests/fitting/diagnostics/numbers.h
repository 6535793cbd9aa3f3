/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that reference.R makes by the same formulas: the tables need not hold them. */
#ifndef GREBE_TESTS_FITTING_NUMBERS_H
#define GREBE_TESTS_FITTING_NUMBERS_H

#include "support/close.h"

/* The next of Park and Miller 1988. All products are exact. */
static inline double next_uniform(double *seed)
{
    *seed = fmod(16807 * *seed, 2147483647);
    return *seed / 2147483647;
}

/* Nearly normal: a sum of twelve. */
static inline double next_normal(double *seed)
{
    double z = -6;
    for (int j = 0; j < 12; j++)
        z += next_uniform(seed);
    return z;
}

static inline double *new_normals(size_t count, double seed)
{
    double *const x = calloc(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = next_normal(&seed);
    return x;
}

/* A quantile of the generalised Pareto distribution of scale 1. */
static inline double pareto(double u, double k)
{
    return k == 0 ? -log1p(-u) : expm1(-k * log1p(-u)) / k;
}

static inline double *new_log_ratios(size_t count, double k, double seed, double offset)
{
    double *const x = calloc(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = log(pareto(next_uniform(&seed), k) + 0.1) + offset;
    return x;
}

/* |is − should| ≤ most · max(1, |should|), or both are NaN. */
static inline void assert_as_R_at(double is, double should, double most, const char *what, size_t row,
                                  int line)
{
    if (!(fabs(is - should) <= most * fmax(1, fabs(should))) && !(isnan(is) && isnan(should)))
        fail_msg("line %d, row %zu of the table: %s is %.15g, not %.15g", line, row, what, is, should);
}
#define assert_as_R(is, should, most) assert_as_R_at((is), (should), (most), #is, row, __LINE__)

#endif
