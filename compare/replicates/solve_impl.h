/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_REPLICATES_SOLVE_IMPL_H
#define GREBE_COMPARE_REPLICATES_SOLVE_IMPL_H

#include "compare/problem.h"
#include "estimators/learn.h"

/* Moves the variables to the minimum of an objective, by means over `runs` runs that change nothing else.
 * They see the rows of the runs from number `*begun` on, which goes on.
 * Returns false if its slopes are not linear in at most 32 numbers, or have no curve, and on error. Sets
 * `is_flat` if they have no curve. */
bool gb_solve_learned(gb_trial *trial, uint64_t *begun, const gb_learned *learned, int64_t runs,
                      bool *is_flat);

#endif
