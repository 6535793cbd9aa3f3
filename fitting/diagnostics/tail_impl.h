/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A generalised Pareto distribution fitted to the largest of some numbers. */
#ifndef GREBE_FITTING_DIAGNOSTICS_TAIL_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_TAIL_IMPL_H

#include <stddef.h>

enum { GB_TAIL_LEAST = 5 }; /* fewer numbers are not fitted */

typedef struct gb_tail {
    double k, sigma; /* k is ±∞ where there is no fit: see gb_psis */
    size_t first;    /* the fit is that of numbers `first` and those after it; those before are the cutoff */
    double cutoff;
} gb_tail;

/* Fits `count` numbers in ascending order, all ≥ cutoff, by the posterior mean of Zhang and Stephens 2009,
 * with the prior on k of R's loo. Numbers whose spread is at most `noise` times the largest are equal.
 * Overwrites `numbers` by their distances from the cutoff. */
gb_tail gb_tail_fit(size_t count, double *numbers, double cutoff, double noise);

/* Returns number i of the fitted ones, i from `first` to count − 1, if all were where the distribution
 * expects them. */
double gb_tail_expected(const gb_tail *tail, size_t count, size_t i);

/* Returns min(0.2 S, 3 √(S / r_eff)), rounded up. */
size_t gb_tail_length(size_t draws, double r_eff);

#endif
