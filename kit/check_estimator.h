/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of an estimator, whichever it is: of grebe, or your own. It is tried on all built-in problems and on a
 * table of small costs, of whatever distributions it fits. Of each is checked what applies:
 *
 *   its struct      is complete, and it fits something
 *   value           has the mean of the cost
 *   gradient        has the mean of the expectation's, which is known in closed form or by enumeration
 *   parameters      that are in the cost themselves get that gradient too
 *   own log q       in the cost (an entropy) is accounted for
 *   several sites   independent, or one that sets another's parameters, do not disturb each other
 *   rows            a draw for each row of data
 *   learning        what learns is right while it does, each estimate after the one before
 *   second          gradients of gradients are right, or refused by name, with all of these costs
 *   evaluations     of independent sites add up (probes) or multiply (weights)
 *   repeats         a seed gives the same bits, with any number of threads
 *   refusals        a distribution that it does not fit is refused in words
 *   bias            that a type admits to can be seen
 *
 * Estimates are means over 1, 2 and 5 samples. What it refuses with GB_EARGUMENT while it is recorded counts as not
 * fitting, and so does what it refuses of a single sample when it is run. An estimator that learns does so in 500 runs,
 * and is judged by what it has come to, besides.
 *
 * Means are compared by z-tests, with a bound for all tests of one call to fail by chance once in a million times; as
 * many gradients are drawn as show a bias of 5 % of max(|gradient|, 0.1 standard deviations) as surely. Second gradients
 * and estimates that learn have a limit of 200000 and 100000 draws instead, which show gross faults. */
#ifndef GREBE_KIT_CHECK_ESTIMATOR_H
#define GREBE_KIT_CHECK_ESTIMATOR_H

#include "../compare/problem.h"
#include "../core/options.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_estimator_options {
    size_t size;
    gb_report *report; /* OPTIONAL: where the findings go, one for each statement */
    uint64_t seed;     /* other draws */
    bool thorough;     /* see a bias of 1 %; 25 times the draws */
    /* OPTIONAL: problems of your own besides, with `expected` or `exact`, at their own settings. */
    size_t problems;
    const gb_problem *const *problem;
} gb_check_estimator_options;

/* gb_check_estimator(gb_score()), gb_check_estimator(mine(), .report = &report). True if nothing failed. */
#define gb_check_estimator(...)                                                                              \
    GB_CALL_1(gb_check_estimator, __VA_ARGS__, .size = sizeof(gb_check_estimator_options))
GB_API bool gb_check_estimator_with(gb_estimator estimator, const gb_check_estimator_options *options);

GB_END_DECLS
#endif
