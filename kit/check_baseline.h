/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a baseline keeps its promises, one of grebe's or your own. The kit evaluates it at given draws:
 * 1, 2 and 5 samples, of one draw for all rows and of one for each row, before and after learning. It checks
 * what applies:
 *
 *   its struct      is complete, and it fits a cost
 *   value           is a number for each sample (or row), or the same for all
 *   number          the value is not NaN, also of a single sample or row
 *   own draw        the value for a sample (or row) does not depend on the draw of that sample (or row); a
 *                   baseline may draw itself, and is looked at with the same noise each time
 *   expected        has the gradient of E[value], to 1e-6, if the type has `expected`
 *   evaluations     lie along a first axis, as many as the type says
 *   learning        changes the baseline's own variables only
 *   unit            a cost in another unit gives the same value in that unit, if the baseline learns
 *   rejections      come with a message: of invalid numbers, and of distributions that it does not fit
 *   float           tapes give the same, rounded
 *   unbiased        the score estimator with it passes gb_check_estimator; tried if all other checks pass
 *
 * A baseline that rejects a cost with GB_EARGUMENT, or a single sample or row in the run, does not fit that
 * cost (gb_if_others rejects those). Statistical checks are those of gb_check_estimator. */
#ifndef GREBE_KIT_CHECK_BASELINE_H
#define GREBE_KIT_CHECK_BASELINE_H

#include "../core/options.h"
#include "../estimators/baseline.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_baseline_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    uint64_t seed;     /* changes the draws */
    bool thorough;     /* detect a bias of 1 %, with 25 times the draws */
    /* OPTIONAL: returns the baseline on a tape of the kit's, for a baseline that has a node; of the same
     * type. Called once for each draw of a tape. Each call must make variables with new names
     * (gb_tape_has_variable). */
    gb_baseline (*make)(gb_tape *tape, void *user);
    void *user;
    gb_memory memory; /* {0}: malloc; not for gb_check_estimator */
} gb_check_baseline_options;

/* gb_check_baseline(gb_leave_one_out()), gb_check_baseline(mine(0.5), .report = &report). Returns true if no
 * check fails. The baseline is checked with the options that it has. */
#define gb_check_baseline(...)                                                                               \
    GB_CALL_1(gb_check_baseline, __VA_ARGS__, .size = sizeof(gb_check_baseline_options))
GB_API bool gb_check_baseline_with(gb_baseline baseline, const gb_check_baseline_options *options);

GB_END_DECLS
#endif
