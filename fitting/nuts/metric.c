/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/nuts/metric_impl.h"

#include <math.h>
#include <string.h>

size_t gb_metric_numbers(gb_nuts_metric kind, size_t n)
{
    return kind == GB_METRIC_UNIT ? 0 : kind == GB_METRIC_DIAGONAL ? n : 2 * n * n;
}

void gb_metric_begin(gb_metric *metric, gb_nuts_metric kind, size_t n, double *memory)
{
    *metric = (gb_metric){.kind = kind, .n = n, .covariance = memory};
    if (kind == GB_METRIC_DIAGONAL)
        for (size_t i = 0; i < n; i++)
            memory[i] = 1;
    if (kind != GB_METRIC_DENSE)
        return;
    metric->root = memory + n * n;
    memset(memory, 0, 2 * n * n * sizeof *memory);
    for (size_t i = 0; i < n; i++)
        metric->covariance[i * n + i] = metric->root[i * n + i] = 1;
}

/* Cholesky, row by row. */
static bool factor_dense(const gb_metric *metric)
{
    const size_t n = metric->n;
    double *const l = metric->root;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = metric->covariance[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= l[i * n + k] * l[j * n + k];
            if (i == j && !(sum > 0 && isfinite(sum)))
                return false;
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    return true;
}

bool gb_metric_factor(gb_metric *metric)
{
    if (metric->kind == GB_METRIC_DENSE)
        return factor_dense(metric);
    for (size_t i = 0; metric->kind == GB_METRIC_DIAGONAL && i < metric->n; i++)
        if (!(metric->covariance[i] > 0 && isfinite(metric->covariance[i])))
            return false;
    return true;
}

/* Solves Lᵀ p = u in place, so that p has the covariance (L Lᵀ)⁻¹. */
static void solve_transposed(const gb_metric *metric, double *p)
{
    const size_t n = metric->n;
    for (size_t i = n; i-- > 0;) {
        p[i] /= metric->root[i * n + i];
        for (size_t j = 0; j < i; j++)
            p[j] -= metric->root[i * n + j] * p[i];
    }
}

void gb_metric_draw(const gb_metric *metric, gb_random *random, double *p)
{
    for (size_t i = 0; i < metric->n; i++)
        p[i] = gb_random_normal(random);
    if (metric->kind == GB_METRIC_DIAGONAL)
        for (size_t i = 0; i < metric->n; i++)
            p[i] /= sqrt(metric->covariance[i]);
    if (metric->kind == GB_METRIC_DENSE)
        solve_transposed(metric, p);
}

void gb_metric_velocity(const gb_metric *metric, const double *p, double *velocity)
{
    const size_t n = metric->n;
    if (metric->kind == GB_METRIC_UNIT)
        memcpy(velocity, p, n * sizeof *p);
    if (metric->kind == GB_METRIC_DIAGONAL)
        for (size_t i = 0; i < n; i++)
            velocity[i] = metric->covariance[i] * p[i];
    if (metric->kind != GB_METRIC_DENSE)
        return;
    memset(velocity, 0, n * sizeof *velocity);
    for (size_t i = 0; i < n; i++) /* symmetric, so rows are columns */
        for (size_t j = 0; j < n; j++)
            velocity[j] += metric->covariance[i * n + j] * p[i];
}
