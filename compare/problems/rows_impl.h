/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data by rows: the inputs of a trial, and the rows that a run sees. */
#ifndef GREBE_COMPARE_PROBLEMS_ROWS_IMPL_H
#define GREBE_COMPARE_PROBLEMS_ROWS_IMPL_H

#include "compare/problem.h"

/* Feeds the rows of run number `run` of a trial with batches: a function of the seed and that number alone,
 * so all estimators see the same. Does nothing without batches. Returns false on error. */
bool gb_trial_next_rows(gb_trial *trial, uint64_t run);

#endif
