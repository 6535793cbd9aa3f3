/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_MEASURING_TALLY_IMPL_H
#define GREBE_COMPARE_MEASURING_TALLY_IMPL_H

#include "compare/measuring/work_impl.h"
#include "compare/moments.h"

/* Moments of the estimates. */
typedef struct gb_compare_tally {
    gb_moments *element; /* one for each element */
    gb_moments total;    /* of Σ (estimate − origin)² */
    double *origin;      /* near the mean */
} gb_compare_tally;

/* Adds the first `count` replicates of the last run. Returns false if one is not finite. */
bool gb_compare_count(gb_compare_tally *tally, const gb_replicates *r, size_t count, double *scratch);

/* Computes the results of an estimator. */
void gb_compare_conclude(gb_compare_work *c, size_t which, const gb_compare_tally *tally);

/* Divides each estimator's variance × cost by that of the first. */
void gb_compare_ratios(gb_compare_work *c);

#endif
