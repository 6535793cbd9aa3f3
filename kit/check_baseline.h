/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of a baseline, whichever it is: of grebe, or your own. It is asked for its values at given draws, of 1, 2 and 5
 * samples, of one draw for all and of one for each row, before and after it has learned. Checked is what applies:
 *
 *   its struct      is complete, and it fits a cost
 *   value           is a number for each sample (or row), or the same for all
 *   own draw        the value of a sample does not change with that sample's draw, nor that of a row with the row's draw
 *   expected        has the gradient of E[value], to 1e-6, where it is there
 *   evaluations     are along a first axis, as many as it says
 *   learning        moves variables of its own alone
 *   refusals        are in words: of numbers that make no sense, of distributions that it does not fit
 *   float           tapes give the same, rounded
 *   unbiased        the score estimator with it passes gb_check_estimator; this is tried if all the rest holds
 *
 * A baseline that refuses a cost with GB_EARGUMENT, or a single sample or row in the run, does not fit that cost. Statistical
 * checks are those of gb_check_estimator. */
#ifndef GREBE_KIT_CHECK_BASELINE_H
#define GREBE_KIT_CHECK_BASELINE_H

#include "../core/options.h"
#include "../estimators/baseline.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_baseline_options {
    size_t size;
    gb_report *report; /* OPTIONAL: where the findings go, one for each statement */
    uint64_t seed;     /* other draws */
    bool thorough;     /* see a bias of 1 %; 25 times the draws */
    /* OPTIONAL: the baseline on a tape of the kit's, for one that has a node; of the same type. It is called once for each
     * draw of a tape, each time for variables with names that the tape has not yet (gb_tape_has_variable). */
    gb_baseline (*make)(gb_tape *tape, void *user);
    void *user;
    gb_memory memory; /* {0}: malloc; not of gb_check_estimator */
} gb_check_baseline_options;

/* gb_check_baseline(gb_leave_one_out()), gb_check_baseline(mine(0.5), .report = &report). True if nothing failed.
 * The baseline comes with the number that it is to be checked with. */
#define gb_check_baseline(...)                                                                               \
    GB_CALL_1(gb_check_baseline, __VA_ARGS__, .size = sizeof(gb_check_baseline_options))
GB_API bool gb_check_baseline_with(gb_baseline baseline, const gb_check_baseline_options *options);

GB_END_DECLS
#endif
