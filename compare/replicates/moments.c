/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/moments.h"

#include <math.h>

/* Two passes, since all numbers of a batch are in memory. */
static gb_moments of_batch(size_t count, const double *x, size_t stride)
{
    gb_moments m = {.count = (double)count};
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i * stride];
    m.mean = sum / m.count;
    for (size_t i = 0; i < count; i++) {
        const double d = x[i * stride] - m.mean, square = d * d;
        m.second += square;
        m.third += square * d;
        m.fourth += square * square;
    }
    return m;
}

void gb_moments_add(gb_moments *m, size_t count, const double *x, size_t stride)
{
    if (!m || !x || count == 0)
        return;
    const gb_moments a = *m, b = of_batch(count, x, stride);
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
