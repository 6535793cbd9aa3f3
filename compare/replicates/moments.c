/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/moments.h"

#include <math.h>

/* A sum of one number after the other waits for each addition. So there are eight, of every eighth number. */
enum { LANES = 8 };

static double total(const double lane[LANES])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static inline double mean_of(size_t count, const double *x, size_t stride)
{
    double sum[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            sum[l] += x[(i + l) * stride];
    for (size_t l = 0; i < count; i++, l++)
        sum[l] += x[i * stride];
    return total(sum) / (double)count;
}

typedef struct powers {
    double second[LANES], third[LANES], fourth[LANES];
} powers;

static inline void add_powers(powers *p, size_t lane, double d)
{
    const double square = d * d;
    p->second[lane] += square;
    p->third[lane] += square * d;
    p->fourth[lane] += square * square;
}

/* Two passes, since all numbers of a batch are in memory. */
static inline gb_moments of_batch(size_t count, const double *x, size_t stride)
{
    powers sum = {{0}, {0}, {0}};
    const double mean = mean_of(count, x, stride);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            add_powers(&sum, l, x[(i + l) * stride] - mean);
    for (size_t l = 0; i < count; i++, l++)
        add_powers(&sum, l, x[i * stride] - mean);
    return (gb_moments){.count = (double)count,
                        .mean = mean,
                        .second = total(sum.second),
                        .third = total(sum.third),
                        .fourth = total(sum.fourth)};
}

void gb_moments_join(gb_moments *m, const gb_moments *more)
{
    if (!m || !more || more->count == 0)
        return;
    const gb_moments a = *m, b = *more;
    const double n = a.count + b.count, d = b.mean - a.mean, share = d / n, ab = a.count * b.count;
    m->count = n;
    m->mean = a.mean + share * b.count;
    m->second = a.second + b.second + d * share * ab;
    m->third = a.third + b.third + d * share * share * ab * (a.count - b.count) +
               3 * share * (a.count * b.second - b.count * a.second);
    m->fourth = a.fourth + b.fourth +
                d * share * share * share * ab * (a.count * a.count - ab + b.count * b.count) +
                6 * share * share * (a.count * a.count * b.second + b.count * b.count * a.second) +
                4 * share * (a.count * b.third - b.count * a.third);
}

void gb_moments_add(gb_moments *m, size_t count, const double *x, size_t stride)
{
    if (!m || !x || count == 0)
        return;
    const gb_moments more = stride == 1 ? of_batch(count, x, 1) : of_batch(count, x, stride);
    gb_moments_join(m, &more);
}

double gb_moments_variance(const gb_moments *m)
{
    return !m || m->count < 2 ? (double)NAN : m->second / (m->count - 1);
}

double gb_moments_kurtosis(const gb_moments *m)
{
    return m->count < 2 || m->second == 0 ? (double)NAN : m->count * m->fourth / (m->second * m->second);
}

double gb_moments_variance_error(const gb_moments *m)
{
    if (!m)
        return (double)NAN;
    const double variance = gb_moments_variance(m), kurtosis = gb_moments_kurtosis(m), n = m->count;
    if (variance == 0)
        return 0;
    return isnan(kurtosis) ? kurtosis : variance * sqrt(fmax(kurtosis - (n - 3) / (n - 1), 0) / n);
}
