/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two formulas that all diagnostics of chains come down to. */
#ifndef GREBE_FITTING_DIAGNOSTICS_CHAINS_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_CHAINS_IMPL_H

#include <stdbool.h>

#include "fitting/chains.h"
#include "fitting/diagnostics/order_impl.h"

/* √(variance of all / variance within) of chains of ≥ 2 numbers each, one after the other. NaN if all numbers
 * are equal. */
double gb_rhat_of(const double *x, size_t chains, size_t length);

/* Sets the effective sample size of the mean, by Geyer's initial monotone sequence; NaN if all numbers are
 * equal. Overwrites the numbers. Returns false if memory runs out. */
bool gb_ess_of(double *x, size_t chains, size_t length, const gb_memory *memory, double *ess);

/* Replaces `count` numbers by normal scores Φ⁻¹((rank − 3/8) / (count + 1/4)), equal ones by that of their mean
 * rank. `x` has room for `count` rounded up to a multiple of 8, `ranked` for `count`. */
void gb_normal_scores(double *x, size_t count, gb_ranked *ranked);

#endif
