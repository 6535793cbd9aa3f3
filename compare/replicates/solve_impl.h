/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_REPLICATES_SOLVE_IMPL_H
#define GREBE_COMPARE_REPLICATES_SOLVE_IMPL_H

#include "compare/replicates.h"
#include "estimators/learn.h"

/* Moves the variables to the minimum of an objective, by means over `runs` runs that change nothing else. */
gb_solved gb_solve_learned(const gb_learned *learned, int64_t runs);

#endif
