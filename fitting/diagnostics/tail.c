/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/diagnostics/tail_impl.h"

#include <math.h>
#include <stdbool.h>

size_t gb_tail_length(size_t draws, double r_eff)
{
    return (size_t)ceil(fmin(0.2 * (double)draws, 3 * sqrt((double)draws / r_eff)));
}

/* The most likely k for a given theta = −k / sigma. */
static double k_for(double theta, size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log1p(-theta * x[i]);
    return sum / (double)n;
}

/* The log likelihood of theta, at the most likely k. */
static double likelihood_of(double theta, size_t n, const double *x)
{
    const double k = k_for(theta, n, x);
    return (double)n * (log(-theta / k) - k - 1);
}

/* The i-th of m values of theta: quantiles of a prior, for x in ascending order with a quartile above 0. */
static double theta_at(size_t i, size_t m, size_t n, const double *x)
{
    const double quartile = x[(size_t)floor((double)n / 4 + 0.5) - 1];
    return 1 / x[n - 1] + (1 - sqrt((double)m / ((double)i + 0.5))) / 3 / quartile;
}

/* The posterior mean of theta. The likelihood is computed twice rather than stored. */
static double mean_theta(size_t n, const double *x)
{
    const size_t m = 30 + (size_t)floor(sqrt((double)n));
    double most = -INFINITY, sum = 0, weights = 0;
    for (size_t i = 0; i < m; i++) {
        const double theta = theta_at(i, m, n, x), l = likelihood_of(theta, n, x);
        if (!(l <= most)) { /* a NaN stays */
            const double shrink = exp(most - l);
            sum *= shrink;
            weights *= shrink;
            most = l;
        }
        sum += exp(l - most) * theta;
        weights += exp(l - most);
    }
    return sum / weights;
}

/* Whether numbers in ascending order are the same, but for noise. */
static bool is_equal(size_t n, const double *x, double noise)
{
    return x[0] >= x[n - 1] - noise * fabs(x[n - 1]);
}

gb_tail gb_tail_fit(size_t count, double *x, double cutoff, double noise)
{
    gb_tail tail = {.k = INFINITY, .cutoff = cutoff};
    if (count < GB_TAIL_LEAST)
        return tail;
    for (size_t i = 0; i < count; i++)
        tail.first += i == tail.first && x[i] <= cutoff;
    /* As loo, unless so many are equal to the cutoff that its formula divides by 0. */
    if (x[(size_t)floor((double)count / 4 + 0.5) - 1] > cutoff || is_equal(count, x, noise))
        tail.first = 0;
    const size_t n = count - tail.first;
    if (n < GB_TAIL_LEAST)
        return tail;
    x += tail.first;
    if (is_equal(n, x, noise)) {
        tail.k = -INFINITY;
        return tail;
    }
    for (size_t i = 0; i < n; i++)
        x[i] -= cutoff;
    const double theta = mean_theta(n, x), k = k_for(theta, n, x), sigma = -k / theta;
    if (isfinite(k) && sigma > 0 && isfinite(sigma)) {
        tail.sigma = sigma;
        tail.k = ((double)n * k + 10 * 0.5) / ((double)n + 10);
    }
    return tail;
}

double gb_tail_expected(const gb_tail *tail, size_t count, size_t i)
{
    const double p = ((double)(i - tail->first) + 0.5) / (double)(count - tail->first);
    const double log_survival = log1p(-p);
    const double quantile = tail->k == 0 ? -log_survival : expm1(-tail->k * log_survival) / tail->k;
    return tail->cutoff + tail->sigma * quantile;
}
