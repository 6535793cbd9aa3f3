/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means of an estimator's gradients and values against what they should be. */
#ifndef GREBE_KIT_ESTIMATORS_MEAN_IMPL_H
#define GREBE_KIT_ESTIMATORS_MEAN_IMPL_H

#include "compare/replicates.h"
#include "kit/shell/verdicts_impl.h"

/* What is checked, in the order of the report. */
/* clang-format off */
#define GB_ESTIMATOR_STATEMENTS(do_)                                                                             \
    do_(FORM,       "its struct is complete")                                                                \
    do_(FITS,       "it fits a problem")                                                                     \
    do_(RECORDED,   "it is recorded and run without an error")                                               \
    do_(VALUE,      "its value has the mean of the cost")                                                    \
    do_(GRADIENT,   "its gradient has the mean of the expectation's")                                        \
    do_(PARAMETERS, "where the cost depends on the parameters themselves, too")                              \
    do_(OWN_LOG_Q,  "where the cost holds the log q of the draw, too")                                       \
    do_(SITES,      "beside an independent draw, too")                                                       \
    do_(DEPENDENT,  "where a draw sets the parameters of another, too")                                      \
    do_(ROWS,       "of a draw for each row, too")                                                           \
    do_(LEARNING,   "while it learns, too")                                                                  \
    do_(SECOND,     "gradients of its gradient are right, or refused by name")                               \
    do_(STAR,       "evaluations of independent draws add up, of weights multiply")                          \
    do_(REPEATS,    "a seed gives the same bits, with any number of threads")                                \
    do_(REFUSED,    "what it does not fit is refused in words")                                              \
    do_(BIAS,       "the bias that it admits to can be seen")
/* clang-format on */
GB_STATEMENT_CODES(GB_ESTIMATOR_STATEMENTS);

typedef struct gb_estimator_check {
    gb_kit kit;
    gb_estimator estimator;
    bool thorough;
    size_t problems; /* of the user */
    const gb_problem *const *problem;
    bool counting; /* tests are counted, and not made */
    size_t tests;  /* how many means are compared at most */
    double bound;  /* of their |z| */
    size_t biases; /* means that were seen to be wrong */
} gb_estimator_check;

typedef struct gb_check_case {
    gb_estimator_check *check;
    const char *label;      /* of the problem */
    gb_replicate_plan plan; /* but for the estimator and the seed */
    gb_statement statement;
    bool learning; /* one estimate at a time, each of which learns; nothing where there is nothing to learn */
} gb_check_case;

/* The means of gradient and value. False where the estimator does not fit. */
bool gb_check_means(const gb_check_case *c);
/* |z| of that many right means exceeds it, in any of them, once in a million times. */
double gb_mean_bound(size_t tests);
/* The plan, for the estimator that is checked. */
gb_replicate_plan gb_check_plan(const gb_check_case *c);

#endif
