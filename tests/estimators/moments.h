/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistical tests with a known error rate. */
#ifndef GREBE_TESTS_MOMENTS_H
#define GREBE_TESTS_MOMENTS_H

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Draws of one number, and their mean and variance. */
typedef struct moments {
    double *draw;
    size_t count;
    double mean, variance;
    double mean_error, variance_error; /* standard errors */
} moments;

static inline void moments_finish(moments *m)
{
    double sum = 0, second = 0, fourth = 0;
    const double n = (double)m->count;
    for (size_t i = 0; i < m->count; i++)
        sum += m->draw[i];
    m->mean = sum / n;
    for (size_t i = 0; i < m->count; i++) {
        const double square = (m->draw[i] - m->mean) * (m->draw[i] - m->mean);
        second += square / n;
        fourth += square * square / n;
    }
    m->variance = second;
    m->mean_error = sqrt(second / n);
    m->variance_error = sqrt((fourth - second * second) / n);
}

/* |z| may not exceed this in any of `tests` tests, if all together are to fail by chance once in 1 / alpha
 * times. */
static inline double z_bound(double alpha, int tests)
{
    return gsl_cdf_ugaussian_Qinv(alpha / (2 * tests));
}

/* Draws enough to see a bias of `bias` as surely as a right mean is accepted: N ≥ 118 (s / bias)². */
static inline int sees_bias(const moments *m, double bias)
{
    return (double)m->count >= 118 * m->variance / (bias * bias);
}

#endif
