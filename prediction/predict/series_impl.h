/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of one number, each with a weight: what is made of all of them. */
#ifndef GREBE_PREDICTION_PREDICTIVE_SERIES_IMPL_H
#define GREBE_PREDICTION_PREDICTIVE_SERIES_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/memory.h"

typedef struct gb_series {
    size_t count;
    double *x;            /* gb_series_sort brings them in order */
    const double *weight; /* of each as they came; their sum is 1. NULL: all equal */
    size_t chains;        /* x is so many chains, one after the other; 0: independent draws */
    gb_memory memory;
    void *room;  /* gb_series_room(count) bytes */
    double *sum; /* after sorting: of weights, up to each draw; NULL: equal ones */
} gb_series;

size_t gb_series_room(size_t count);

/* Sorts. Returns false if a draw with a weight is NaN. Draws of weight 0 are left out. */
bool gb_series_sort(gb_series *s);

/* After sorting: a quantile, linear between draws, or the least value whose probability is reached; the
 * probabilities of what is below x, and not above it; CRPS. */
double gb_series_quantile(const gb_series *s, double probability, bool is_discrete);
void gb_series_rank(const gb_series *s, double x, double *below, double *up_to);
double gb_series_crps(const gb_series *s, double outcome);

/* Before sorting: log Σ weight · exp(x), and its Monte Carlo error. */
double gb_series_log_mean(const gb_series *s, double *error);

#endif
