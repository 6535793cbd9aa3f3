/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistical tests with a known error rate. */
#ifndef GREBE_TESTS_MOMENTS_H
#define GREBE_TESTS_MOMENTS_H

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "support/close.h"

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

/* As much as is asked of every test: 5 % of max(|exact|, 0.1 s), s the standard deviation of one of the
 * `samples` that a draw is the mean of. */
static inline int sees_what_it_must(const moments *m, double exact, int samples)
{
    const double s = sqrt(m->variance * samples);
    return sees_bias(m, 0.05 * fmax(fabs(exact), 0.1 * s));
}

/* Runs a program `draws` times, and keeps the moments of some of its roots. */
static inline void collect(gb_program *program, size_t draws, size_t nodes, const gb_node *node, moments *m)
{
    for (size_t k = 0; k < nodes; k++)
        m[k] = (moments){.draw = malloc(draws * sizeof(double)), .count = draws};
    for (size_t i = 0; i < draws; i++) {
        assert_int_equal(gb_run(program), GB_OK);
        for (size_t k = 0; k < nodes; k++)
            m[k].draw[i] = gb_value(node[k]);
    }
    for (size_t k = 0; k < nodes; k++) {
        moments_finish(&m[k]);
        free(m[k].draw);
        m[k].draw = NULL;
    }
}

#endif
