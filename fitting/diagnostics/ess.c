/* SPDX-License-Identifier: GPL-3.0-or-later */
/* R-hat and effective sample sizes of chains as they are. */
#include <math.h>

#include "fitting/diagnostics/autocovariance_impl.h"
#include "fitting/diagnostics/ess_impl.h"

/* Exact if all numbers are equal. */
static double mean_of(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] - x[0];
    return x[0] + sum / (double)count;
}

static bool all_equal(const double *x, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (x[i] != x[0])
            return false;
    return true;
}

/* Means of chains: their variance; and the mean variance within. */
typedef struct variances {
    double between, within;
} variances;

static variances variances_of(const double *x, size_t chains, size_t length)
{
    variances v = {0};
    double mean = 0; /* of the means so far (Welford 1962) */
    for (size_t c = 0; c < chains; c++) {
        const double own = mean_of(x + c * length, length), step = own - mean;
        double squares = 0;
        for (size_t i = 0; i < length; i++) {
            const double d = x[c * length + i] - own;
            squares += d * d;
        }
        v.within += squares / (double)(length - 1) / (double)chains;
        mean += step / (double)(c + 1);
        v.between += step * (own - mean);
    }
    v.between = chains > 1 ? v.between / (double)(chains - 1) : 0;
    return v;
}

double gb_rhat_of(const double *x, size_t chains, size_t length)
{
    if (all_equal(x, chains * length))
        return (double)NAN;
    const variances v = variances_of(x, chains, length);
    const double n = (double)length;
    return sqrt((n * v.between / v.within + n - 1) / n);
}

/* The autocorrelation at a lag, of chains whose variance within may be less than that of all. */
static bool correlation(gb_autocovariance *a, size_t lag, double within, double all, double *rho)
{
    double covariance;
    if (!gb_autocovariance_at(a, lag, &covariance))
        return false;
    *rho = 1 - (within - covariance) / all;
    return true;
}

/* The time over which draws are correlated: n draws are worth n / time. Sums of neighbouring autocorrelations
 * are positive and fall, by theory; the sum ends where their estimates are not, and does not rise. */
static bool correlation_time(gb_autocovariance *a, double within, double all, double *time)
{
    double even = 1, odd, sum = 0, previous = INFINITY;
    if (!correlation(a, 1, within, all, &odd))
        return false;
    for (size_t t = 0; t + 5 < a->length && even + odd > 0;) {
        previous = fmin(previous, even + odd);
        sum += previous;
        t += 2;
        if (!correlation(a, t, within, all, &even) || !correlation(a, t + 1, within, all, &odd))
            return false;
    }
    *time = -1 + 2 * sum + (even > 0 || even + odd >= 0 ? even : 0);
    return true;
}

bool gb_ess_of(double *x, size_t chains, size_t length, const gb_memory *memory, double *ess)
{
    const size_t count = chains * length;
    *ess = (double)NAN;
    if (all_equal(x, count))
        return true;
    const double centre = mean_of(x, count);
    double scale = 0; /* squares neither overflow nor vanish */
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(x[i] - centre));
    for (size_t i = 0; i < count; i++)
        x[i] = (x[i] - centre) / scale;
    const variances v = variances_of(x, chains, length);
    for (size_t c = 0; c < chains; c++) {
        const double own = mean_of(x + c * length, length);
        for (size_t i = 0; i < length; i++)
            x[c * length + i] -= own;
    }
    const double n = (double)length, total = (double)count;
    gb_autocovariance a = {.x = x, .chains = chains, .length = length, .memory = memory};
    double time;
    const bool done = correlation_time(&a, v.within, v.within * (n - 1) / n + v.between, &time);
    gb_autocovariance_free(&a);
    if (done)
        *ess = total / fmax(time, 1 / log10(total));
    return done;
}
