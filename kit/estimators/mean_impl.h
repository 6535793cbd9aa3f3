/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the means of an estimator's gradients and values with exact ones. */
#ifndef GREBE_KIT_ESTIMATORS_MEAN_IMPL_H
#define GREBE_KIT_ESTIMATORS_MEAN_IMPL_H

#include "compare/replicates.h"
#include "kit/shell/verdicts_impl.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_ESTIMATOR_STATEMENTS(do_)                                                                         \
    do_(FORM,       "its struct is complete")                                                                \
    do_(FITS,       "it fits a problem")                                                                     \
    do_(RECORDED,   "it is recorded and run without an error")                                               \
    do_(AXES,       "each sample and each row has a draw of its own")                                        \
    do_(VALUE,      "its value has the mean of the cost")                                                    \
    do_(GRADIENT,   "its gradient has the mean of the expectation's")                                        \
    do_(PARAMETERS, "also if the cost depends on the parameters themselves")                                 \
    do_(OWN_LOG_Q,  "also if the cost contains the log q of the draw")                                       \
    do_(SITES,      "also beside an independent draw")                                                       \
    do_(DEPENDENT,  "also if a draw sets the parameters of another")                                         \
    do_(ROWS,       "also for a draw for each row")                                                          \
    do_(BOUND,      "also in bounds of several draws")                                                       \
    do_(ROW_BOUNDS, "also in bounds of rows, each of which stands for several data")                         \
    do_(BATCH,      "also for a batch of draws with unlike parameters")                                      \
    do_(WIDE,       "also for a draw of many numbers")                                                       \
    do_(NEEDS,      "a cost against its needs is rejected, and one that it takes estimated correctly")       \
    do_(LEARNING,   "also while it learns")                                                                  \
    do_(UNIT,       "what it learns for a cost in another unit gives the same bits, in that unit")           \
    do_(SIZE,       "its gradient is in proportion to the cost, also of a large one")                        \
    do_(SECOND,     "gradients of its gradient are correct, or rejected by name")                            \
    do_(SETTINGS,   "also at other settings of its options")                                                 \
    do_(STAR,       "evaluations of independent draws add up, of weights multiply")                          \
    do_(WEIGHTS,    "its weights and its combine make the same value")                                       \
    do_(REPEATS,    "a seed gives the same bits, with any number of threads")                                \
    do_(REJECTED,   "a distribution that it does not fit is rejected with a message")                        \
    do_(BIAS,       "the bias that its type declares can be seen")
/* clang-format on */
GB_STATEMENT_CODES(GB_ESTIMATOR_STATEMENTS);

typedef struct gb_estimator_check {
    gb_kit kit;
    gb_estimator estimator;
    bool is_rare; /* it fits rare families alone, and is tried on these */
    bool thorough;
    const char *only; /* part of the statements to look at; NULL: all */
    size_t problems;  /* the caller's own */
    const gb_problem *const *problem;
    bool counting; /* tests are counted, not made */
    size_t tests;  /* the largest number of means to compare */
    double bound;  /* of their |z| */
    size_t biases; /* means that were found to be wrong */
} gb_estimator_check;

typedef struct gb_check_case {
    gb_estimator_check *check;
    const char *label;      /* of the problem */
    gb_replicate_plan plan; /* without the estimator and the seed */
    gb_statement statement;
    /* One estimate at a time, each of which learns; passes if the estimator learns nothing. */
    bool learning;
    /* One estimate at a time, by an estimator that learns nothing. Side by side along an axis of replicates,
     * a mean over all hidden axes contains the own sample, and a thousand others that hide it. */
    bool alone;
    bool gross; /* look for gross faults only, with fewer draws */
    bool wide;  /* look for elements without a gradient, or with that of others, with fewer draws still */
} gb_check_case;

/* Whether the caller asked for the statement. */
bool gb_check_wants(const gb_estimator_check *check, gb_statement statement);
/* Compares the means of gradient and value. Returns false if the estimator does not fit. A case
 * that the caller did not ask for is taken to fit. */
bool gb_check_means(const gb_check_case *c);
/* Returns the bound on |z| that any of `tests` correct means exceeds once in a million times. */
double gb_mean_bound(size_t tests);
/* Returns the plan, for the estimator that is checked. */
gb_replicate_plan gb_check_plan(const gb_check_case *c);

#endif
