/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two formulas that all diagnostics of chains come down to. */
#ifndef GREBE_FITTING_DIAGNOSTICS_ESS_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_ESS_IMPL_H

#include <stdbool.h>

#include "core/memory.h"

/* √(variance of all / variance within) of chains of ≥ 2 numbers each, one after the other. NaN if all numbers
 * are equal. */
double gb_rhat_of(const double *x, size_t chains, size_t length);

/* Sets the effective sample size of the mean, by Geyer's initial monotone sequence; NaN if all numbers are
 * equal. Overwrites the numbers. Returns false if memory runs out. */
bool gb_ess_of(double *x, size_t chains, size_t length, const gb_memory *memory, double *ess);

#endif
