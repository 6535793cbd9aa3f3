/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adaptation during the warm-up: the step by dual averaging (Hoffman and Gelman 2014), the metric in windows
 * that double, as in Stan. */
#ifndef GREBE_FITTING_NUTS_ADAPT_IMPL_H
#define GREBE_FITTING_NUTS_ADAPT_IMPL_H

#include "fitting/nuts/metric_impl.h"

/* The step so that the mean acceptance statistic is `target`. */
typedef struct gb_step_size {
    double target, mu, mean_error, mean_log;
    double count;
} gb_step_size;

void gb_step_size_begin(gb_step_size *s, double target, double step);
/* Returns the next step, after one with this acceptance statistic; gb_step_size_final the last one. */
double gb_step_size_learn(gb_step_size *s, double accepted);
double gb_step_size_final(const gb_step_size *s);

/* The windows: an initial buffer, windows for the metric, each twice as long as the one before, and a last
 * buffer. */
typedef struct gb_windows {
    size_t warmup, first, last; /* transitions; in the buffers */
    size_t size, end;           /* of the current window; its last transition */
    size_t at;
} gb_windows;

void gb_windows_begin(gb_windows *w, size_t warmup);
/* Whether the current transition is in a window, and whether it ends one. gb_windows_next goes on. */
bool gb_windows_inside(const gb_windows *w);
bool gb_windows_ends(const gb_windows *w);
void gb_windows_next(gb_windows *w);

/* Means and (co)variances of draws, by Welford's updates. */
typedef struct gb_welford {
    gb_nuts_metric kind;
    size_t n;
    double count;
    double *mean, *squares, *off; /* off: room for n */
} gb_welford;

size_t gb_welford_numbers(gb_nuts_metric kind, size_t n);
void gb_welford_begin(gb_welford *w, gb_nuts_metric kind, size_t n, double *memory);
void gb_welford_add(gb_welford *w, const double *x);
/* Writes the variances, regularised towards 10⁻³, and begins anew. */
void gb_welford_end(gb_welford *w, double *covariance);

#endif
