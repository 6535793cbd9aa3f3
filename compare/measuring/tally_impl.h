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
    bool has_origin;
} gb_compare_tally;

/* Adds the first `count` replicates of the last run. Returns false if one is not finite. */
bool gb_compare_count(gb_compare_tally *tally, const gb_replicates *r, size_t count, double *scratch);

/* Computes the results of an estimator. */
void gb_compare_conclude(gb_compare_work *c, size_t which, const gb_compare_tally *tally);

/* After all estimators: one whose estimates are all equal is not right, and not only unlucky, if they had all
 * outcomes of the draws and another estimator shows the gradient. Sets `z` for `unseen` there. */
void gb_compare_judge_equal(gb_compare_work *c);

/* Divides each estimator's variance × cost by that of the first. */
void gb_compare_ratios(gb_compare_work *c);

#endif
