/* SPDX-License-Identifier: GPL-3.0-or-later */
/* u = (x − centre) / half the range, q₀ = 1 / √n with n = Σ w, bₖ qₖ₊₁ = (u − aₖ) qₖ − bₖ₋₁ qₖ₋₁ (Stieltjes'
 * procedure).
 * Described by centre, half the range, √n, all aₖ, all bₖ. */
#include "data/design/polynomial_impl.h"

#include <math.h>

static double inner(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Removes what `next` has of `before` polynomials. In exact arithmetic there is nothing. */
static void make_orthogonal(double *next, const double *values, size_t before, size_t count)
{
    for (size_t k = 0; k < before; k++) {
        const double *const q = values + k * count;
        const double along = inner(next, q, count);
        for (size_t i = 0; i < count; i++)
            next[i] -= along * q[i];
    }
}

static void centre_and_range(const double *x, size_t count, double *learned)
{
    double least = x[0], most = x[0];
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    learned[0] = least / 2 + most / 2;
    learned[1] = most / 2 - least / 2;
}

void gb_polynomials_learn(const double *x, const double *weight, size_t count, size_t degree, double *learned,
                          double *values)
{
    double *const a = learned + 3, *const b = a + degree, total = 0;
    for (size_t i = 0; i < count; i++)
        total += weight ? weight[i] : 1;
    centre_and_range(x, count, learned);
    learned[2] = sqrt(total);
    for (size_t i = 0; i < count; i++)
        values[i] = sqrt(weight ? weight[i] : 1) / learned[2];
    for (size_t k = 0; k < degree; k++) {
        const double *const q = values + k * count;
        double *const next = values + (k + 1) * count;
        for (size_t i = 0; i < count; i++)
            next[i] = (x[i] - learned[0]) / learned[1] * q[i];
        a[k] = inner(next, q, count);
        for (int times = 0; times < 2; times++)
            make_orthogonal(next, values, k + 1, count);
        b[k] = sqrt(inner(next, next, count));
        for (size_t i = 0; i < count; i++)
            next[i] /= b[k];
    }
}

void gb_polynomials_at(const double *learned, size_t degree, double x, double *values)
{
    const double *const a = learned + 3, *const b = a + degree;
    const double u = (x - learned[0]) / learned[1];
    double before = 0, now = 1 / learned[2];
    for (size_t k = 0; k < degree; k++) {
        const double next = ((u - a[k]) * now - (k > 0 ? b[k - 1] : 0) * before) / b[k];
        before = now;
        values[k] = now = next;
    }
}
