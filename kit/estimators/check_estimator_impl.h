/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for estimators: check.c goes through the statements, kit/estimators/problem.c has the table of costs,
 * kit/estimators/mean.c compares means. */
#ifndef GREBE_KIT_ESTIMATORS_CHECK_ESTIMATOR_IMPL_H
#define GREBE_KIT_ESTIMATORS_CHECK_ESTIMATOR_IMPL_H

#include "compare/replicates.h"
#include "kit/check_estimator.h"
#include "kit/shell/tally_impl.h"

/* What is checked, in the order of the report. */
/* clang-format off */
#define GB_ESTIMATOR_CHECKS(do_)                                                                             \
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

typedef enum gb_estimator_statement {
#define GB_ESTIMATOR_CHECK_CODE(code, text) GB_ESTIMATOR_CHECK_##code,
    GB_ESTIMATOR_CHECKS(GB_ESTIMATOR_CHECK_CODE)
#undef GB_ESTIMATOR_CHECK_CODE
        GB_ESTIMATOR_CHECK_COUNT
} gb_estimator_statement;

/* How often a statement was tried and how often not, and what the first failure was. */
typedef struct gb_estimator_check {
    gb_check_estimator_settings with;
    const gb_estimator_type *type;
    bool counting; /* tests are counted, and not made */
    size_t tests;  /* how many means are compared at most */
    double bound;  /* of their |z| */
    size_t biases; /* means that were seen to be wrong */
    gb_tally tally[GB_ESTIMATOR_CHECK_COUNT];
} gb_estimator_check;

bool gb_estimator_verdict(gb_estimator_check *check, gb_estimator_statement statement, bool passed,
                          const char *format, ...) GB_PRINTF(4, 5);

/* ---- the table of costs ---- */

typedef enum gb_check_mode {
    GB_CHECK_PLAIN,
    GB_CHECK_PARAMETERS, /* times a function of the first parameter */
    GB_CHECK_OWN_LOG_Q,  /* plus a multiple of log q of the draw */
    GB_CHECK_SITES,      /* a product with that of another draw */
    GB_CHECK_DEPENDENT,  /* a normal draw around the cost */
    GB_CHECK_ROWS,       /* a sum over rows, with draws, parameters and a weight for each */
    GB_CHECK_MODES
} gb_check_mode;

/* Families of distributions with a cost of which the mean is known. */
size_t gb_check_families(void);
const char *gb_check_family_name(size_t family);
gb_dist gb_check_family(gb_tape *tape, size_t family); /* with constants for parameters */
/* The problem of a family in a mode, as the settings of one: false where there is no closed form. */
bool gb_check_problem(size_t family, gb_check_mode mode, gb_replicate_plan *plan);

/* ---- means ---- */

typedef struct gb_check_case {
    gb_estimator_check *check;
    const char *label;
    gb_replicate_plan plan; /* but for the estimator and the seed */
    gb_estimator_statement statement;
    bool learning; /* one estimate at a time, each of which learns; nothing where there is nothing to learn */
} gb_check_case;

/* The means of gradient and value. False where the estimator does not fit. */
bool gb_check_means(const gb_check_case *c);
/* |z| of that many right means exceeds it, in any of them, once in a million times. */
double gb_check_bound(size_t tests);
/* The plan, for the estimator that is checked. */
gb_replicate_plan gb_check_plan(const gb_check_case *c);

#endif
