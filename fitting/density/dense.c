/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/density/dense_impl.h"

#include <math.h>
#include <string.h>

double gb_dense_dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void gb_dense_add(size_t n, double c, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += c * x[i];
}

double gb_dense_largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n && !isnan(most); i++)
        most = fabs(x[i]) <= most ? most : fabs(x[i]);
    return most;
}

bool gb_dense_factor(size_t n, const double *a, double *l)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double sum = a[i * n + j] - gb_dense_dot(j, l + i * n, l + j * n);
            if (i == j && !(sum > 0 && isfinite(sum)))
                return false;
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
        memset(l + i * n + i + 1, 0, (n - i - 1) * sizeof *l);
    }
    return true;
}

void gb_dense_solve(size_t n, const double *l, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (x[i] - gb_dense_dot(i, l + i * n, x)) / l[i * n + i];
}

void gb_dense_solve_transposed(size_t n, const double *l, double *x)
{
    for (size_t i = n; i-- > 0;) {
        x[i] /= l[i * n + i];
        gb_dense_add(i, -x[i], l + i * n, x);
    }
}

void gb_dense_inverse(size_t n, const double *l, double *inverse, double *room)
{
    memset(room, 0, n * n * sizeof *room);
    for (size_t i = 0; i < n; i++) { /* row i of room: column i of the inverse */
        room[i * n + i] = 1;
        gb_dense_solve(n, l, room + i * n);
        gb_dense_solve_transposed(n, l, room + i * n);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            inverse[i * n + j] = (room[i * n + j] + room[j * n + i]) / 2;
}
