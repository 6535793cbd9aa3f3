/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance kit for problems. gb_check_problem compares estimators that are known to be right, and checks
 * that:
 *
 *  - the struct is complete; settings have names, words, and ranges that hold their defaults;
 *  - it is recorded and run without an error at its defaults (or `check_settings`), with finite values;
 *  - a seed gives the same bits, with any number of threads;
 *  - estimates side by side are distributed as those one by one: all that is random goes by gb_trial_draw;
 *  - its closed form is the mean of the cost, and the gradient of that the mean of all estimates; its exact
 *    estimator gives the same as its closed form;
 *  - so it does at six other settings, random ones near the defaults, by a sum over values where there is
 *    one; settings that it rejects in words are left out;
 *  - batches of its rows have the mean of all rows (gb_trial_row_sum);
 *  - if it says that its cost is a log weight, log q of each draw is in it once, with weight −1
 *    (gb_draw_log_prob).
 *
 * Estimators are gb_pathwise, gb_score, gb_measure_valued and gb_enumerated, as far as they fit all draws.
 * Means are compared by z-tests of 20000 estimates each. All tests of one call together fail by chance once
 * in a million calls. A bias below about a twentieth of one estimate's standard deviation is not seen. Of a
 * problem with more than 256 parameter elements the first are looked at, and exact gradients are not. */
#ifndef GREBE_KIT_CHECK_PROBLEM_H
#define GREBE_KIT_CHECK_PROBLEM_H

#include "../compare/problem.h"
#include "../core/options.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_problem_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    uint64_t seed;     /* changes the draws */
    const gb_problem_data
        *data; /* OPTIONAL: for a problem that needs data. Without them it is only looked at */
} gb_check_problem_options;

/* gb_check_problem(&mine), gb_check_problem(&mine, .report = &report). Returns true if no check fails. */
#define gb_check_problem(...)                                                                                \
    GB_CALL_1(gb_check_problem, __VA_ARGS__, .size = sizeof(gb_check_problem_options))
GB_API bool gb_check_problem_with(const gb_problem *problem, const gb_check_problem_options *options);

GB_END_DECLS
#endif
