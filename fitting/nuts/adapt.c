/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/nuts/adapt_impl.h"

#include <math.h>
#include <string.h>

/* ---- the step ---- */

static const double SHRINKAGE = 0.05, FORGETTING = 0.75, DELAY = 10; /* γ, κ, t₀ */

void gb_step_size_begin(gb_step_size *s, double target, double step)
{
    *s = (gb_step_size){.target = target, .mu = log(10 * step)};
}

double gb_step_size_learn(gb_step_size *s, double accepted)
{
    s->count++;
    const double eta = 1 / (s->count + DELAY), weight = pow(s->count, -FORGETTING);
    s->mean_error = (1 - eta) * s->mean_error + eta * (s->target - fmin(1, accepted));
    const double log_step = s->mu - s->mean_error * sqrt(s->count) / SHRINKAGE;
    s->mean_log = (1 - weight) * s->mean_log + weight * log_step;
    return exp(log_step);
}

double gb_step_size_final(const gb_step_size *s)
{
    return exp(s->mean_log);
}

/* ---- windows ---- */

enum { FIRST = 75, LAST = 50, BASE = 25, LEAST = 20 };

void gb_windows_begin(gb_windows *w, size_t warmup)
{
    *w = (gb_windows){.warmup = warmup, .first = FIRST, .last = LAST, .size = BASE};
    if (warmup < LEAST) { /* too few for a metric */
        w->first = warmup;
        w->last = 0;
        w->end = warmup;
        return;
    }
    if (FIRST + BASE + LAST > warmup) {
        w->first = (size_t)(0.15 * (double)warmup);
        w->last = (size_t)(0.1 * (double)warmup);
        w->size = warmup - w->first - w->last;
    }
    w->end = w->first + w->size - 1;
}

bool gb_windows_inside(const gb_windows *w)
{
    return w->at >= w->first && w->at < w->warmup - w->last;
}

bool gb_windows_ends(const gb_windows *w)
{
    return w->at == w->end && w->at < w->warmup;
}

/* A window that would leave less than a whole one after it takes all that is left. */
void gb_windows_next(gb_windows *w)
{
    const size_t final = w->warmup - w->last - 1;
    if (gb_windows_ends(w) && w->end != final) {
        w->size *= 2;
        w->end = w->at + w->size;
        if (w->end != final && w->end + 2 * w->size >= w->warmup - w->last)
            w->end = final;
    }
    w->at++;
}

/* ---- variances ---- */

size_t gb_welford_numbers(gb_nuts_metric kind, size_t n)
{
    return kind == GB_METRIC_UNIT ? 0 : kind == GB_METRIC_DIAGONAL ? 3 * n : 2 * n + n * n;
}

void gb_welford_begin(gb_welford *w, gb_nuts_metric kind, size_t n, double *memory)
{
    *w = (gb_welford){.kind = kind, .n = n};
    if (kind == GB_METRIC_UNIT)
        return;
    w->mean = memory;
    w->off = memory + n;
    w->squares = memory + 2 * n;
    memset(memory, 0, gb_welford_numbers(kind, n) * sizeof *memory);
}

void gb_welford_add(gb_welford *w, const double *x)
{
    const size_t n = w->n;
    if (w->kind == GB_METRIC_UNIT)
        return;
    w->count++;
    for (size_t i = 0; i < n; i++) {
        w->off[i] = x[i] - w->mean[i];
        w->mean[i] += w->off[i] / w->count;
    }
    for (size_t i = 0; i < n && w->kind == GB_METRIC_DIAGONAL; i++)
        w->squares[i] += (x[i] - w->mean[i]) * w->off[i];
    for (size_t i = 0; i < n && w->kind == GB_METRIC_DENSE; i++)
        for (size_t j = 0; j < n; j++)
            w->squares[i * n + j] += (x[i] - w->mean[i]) * w->off[j];
}

void gb_welford_end(gb_welford *w, double *covariance)
{
    const size_t n = w->n;
    const bool is_dense = w->kind == GB_METRIC_DENSE;
    const double keep = w->count / (w->count + 5), unit = 1e-3 * (5 / (w->count + 5));
    if (w->kind == GB_METRIC_UNIT || w->count < 2)
        return;
    for (size_t i = 0; i < n && !is_dense; i++)
        covariance[i] = keep * w->squares[i] / (w->count - 1) + unit;
    for (size_t i = 0; i < n && is_dense; i++)
        for (size_t j = 0; j <= i; j++) /* the two halves differ by rounding */
            covariance[i * n + j] = covariance[j * n + i] =
                keep * w->squares[i * n + j] / (w->count - 1) + (i == j ? unit : 0);
    gb_welford_begin(w, w->kind, n, w->mean);
}
