/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that an estimator keeps its promises, one of grebe's or your own. The kit tries it on all built-in
 * problems and on a table of small costs, with every distribution that it fits. For each it checks what
 * applies:
 *
 *   its struct      is complete, and it fits something
 *   value           has the mean of the cost
 *   gradient        has the mean of the expectation's gradient, known in closed form or by enumeration
 *   parameters      that appear in the cost itself get that gradient too
 *   own log q       in the cost (an entropy) is taken into account
 *   several sites   independent, or one that sets another's parameters, do not disturb each other
 *   rows            a draw for each row of data
 *   batch           draws with unlike parameters: each gets its own gradient
 *   many numbers    in a draw (67) have gradients of their own
 *   bounds          of several draws have the right gradients, or are rejected; so have bounds of rows, each
 *                   of which stands for 2.5 data
 *   axes            the draw has one value for each place along site->axes
 *   needs           a cost that mixes samples or rows, or that jumps, is rejected or estimated correctly
 *   learning        each estimate is unbiased while the estimator learns
 *   unit            what is learned for a cost of 2^±20 times the size gives the same bits, scaled
 *   size            a cost of 2^20 times the size has an estimate in proportion
 *   second          gradients of gradients are correct, or rejected by name, with all of these costs
 *   settings        of its options, two random ones, change no mean
 *   evaluations     of independent sites add up (probes) or multiply (weights)
 *   weights         of values sum the costs to the value
 *   repeats         a seed gives the same bits, with any number of threads
 *   rejections      of a distribution that it does not fit come with a message
 *   bias            declared by the type is visible
 *
 * Estimates are means over 1, 2 and 5 samples, a thousand of them side by side along a hidden axis, and some
 * one by one. An estimator does not fit a case that it rejects with GB_EARGUMENT during recording, or whose
 * single sample it rejects in the run. An estimator that learns does so in 500 runs; its final state is
 * checked as well.
 *
 * Means are compared by z-tests. All tests of one call together fail by chance once in a million calls.
 * The number of draws is such that a bias of 5 % of max(|gradient|, 0.2 standard deviations) is missed as
 * rarely. Second gradients, batches and costs against a need are limited to 200000 draws, estimates that
 * learn to 100000, estimates one by one to 50000, draws of many numbers to 40000; these show gross faults. A
 * bias that the type declares excuses a wrong mean. */
#ifndef GREBE_KIT_CHECK_ESTIMATOR_H
#define GREBE_KIT_CHECK_ESTIMATOR_H

#include "../compare/problem.h"
#include "../core/options.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_estimator_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    uint64_t seed;     /* changes the draws */
    bool thorough;     /* detect a bias of 1 %, with 25 times the draws */
    /* OPTIONAL: words of a statement as reports have them ("while it learns"). Only statements with these
     * words are looked at, which is faster while you mend one; whether it fits anything, and is biased, are
     * not. */
    const char *only;
    /* OPTIONAL: further problems of your own, with `expected` or `exact`, at their default settings. */
    size_t problems;
    const gb_problem *const *problem;
} gb_check_estimator_options;

/* gb_check_estimator(gb_score()), gb_check_estimator(mine(), .report = &report). Returns true if no check
 * fails. */
#define gb_check_estimator(...)                                                                              \
    GB_CALL_1(gb_check_estimator, __VA_ARGS__, .size = sizeof(gb_check_estimator_options))
GB_API bool gb_check_estimator_with(gb_estimator estimator, const gb_check_estimator_options *options);

GB_END_DECLS
#endif
