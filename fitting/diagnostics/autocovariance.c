/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/diagnostics/autocovariance_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Chains that mix need few lags, and products are faster for these. Beyond them a Fourier transform is. */
enum { MOST_PRODUCTS = 128 };

/* In place, of n = 2^k complex numbers, without a factor; `roots` are exp(−2πi j / n) for j < n/2. */
static void transform(double (*z)[2], size_t n, double (*roots)[2])
{
    for (size_t i = 1, j = 0; i < n; i++) { /* j is i with its bits in reverse */
        size_t bit = n / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        for (int part = 0; i < j && part < 2; part++) {
            const double swapped = z[i][part];
            z[i][part] = z[j][part];
            z[j][part] = swapped;
        }
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t from = 0; from < n; from += 2 * half)
            for (size_t j = 0; j < half; j++) {
                double *const a = z[from + j], *const b = z[from + j + half],
                              *const r = roots[j * (n / 2 / half)];
                const double re = b[0] * r[0] - b[1] * r[1], im = b[0] * r[1] + b[1] * r[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
}

/* All lags by the transform of the squared transform, of numbers followed by as many zeros. */
static bool find_all(gb_autocovariance *a)
{
    const size_t length = a->length;
    size_t n = 2;
    while (n < 2 * length && n <= SIZE_MAX / 64)
        n *= 2;
    a->all = gb_memory_resize(a->memory, NULL, length * sizeof *a->all);
    double(*const z)[2] =
        a->all && n >= 2 * length ? gb_memory_resize(a->memory, NULL, n * 3 / 2 * sizeof *z) : NULL;
    if (!z)
        return false;
    double(*const roots)[2] = z + n;
    for (size_t j = 0; j < n / 2; j++) {
        const double angle = -2 * pi * (double)j / (double)n;
        roots[j][0] = cos(angle);
        roots[j][1] = sin(angle);
    }
    memset(a->all, 0, length * sizeof *a->all);
    for (size_t chain = 0; chain < a->chains; chain++) {
        memset(z, 0, n * sizeof *z);
        for (size_t i = 0; i < length; i++)
            z[i][0] = a->x[chain * length + i];
        transform(z, n, roots);
        for (size_t i = 0; i < n; i++) {
            z[i][0] = z[i][0] * z[i][0] + z[i][1] * z[i][1];
            z[i][1] = 0;
        }
        transform(z, n, roots);
        for (size_t i = 0; i < length; i++)
            a->all[i] += z[i][0] / (double)n;
    }
    gb_memory_release(a->memory, z);
    return true;
}

/* Four sums, which do not wait for each other. */
static double product(const double *x, const double *y, size_t count)
{
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            sum[j] += x[i + j] * y[i + j];
    for (; i < count; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool gb_autocovariance_at(gb_autocovariance *a, size_t lag, double *mean)
{
    double sum = 0;
    if (lag >= MOST_PRODUCTS && !a->all && !find_all(a))
        return false;
    if (lag >= MOST_PRODUCTS)
        sum = a->all[lag];
    for (size_t chain = 0; lag < MOST_PRODUCTS && chain < a->chains; chain++) {
        const double *const x = a->x + chain * a->length;
        sum += product(x, x + lag, a->length - lag);
    }
    *mean = sum / (double)a->length / (double)a->chains;
    return true;
}

void gb_autocovariance_free(gb_autocovariance *a)
{
    gb_memory_release(a->memory, a->all);
    a->all = NULL;
}
