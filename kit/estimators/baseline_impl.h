/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline at given draws. */
#ifndef GREBE_KIT_ESTIMATORS_BASELINE_IMPL_H
#define GREBE_KIT_ESTIMATORS_BASELINE_IMPL_H

#include "core/program.h"
#include "estimators/estimator.h"
#include "kit/shell/verdicts_impl.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_BASELINE_STATEMENTS(do_)                                                                          \
    do_(FORM,        "its struct is complete")                                                               \
    do_(FITS,        "it fits a cost")                                                                       \
    do_(RECORDED,    "it is recorded and run without an error")                                              \
    do_(SHAPE,       "its value is a number for each sample or row, or the same for all")                    \
    do_(NUMBER,      "its value is not NaN")                                                                 \
    do_(OWN,         "its value does not depend on the draw that it corrects")                               \
    do_(EXPECTED,    "the gradient of `expected` is that of the mean of its value")                          \
    do_(EVALUATIONS, "it gives as many values besides the draw as its type says")                            \
    do_(LEARNING,    "it learns variables of its own only")                                                  \
    do_(UNIT,        "a cost in another unit gives the same value in that unit, to the last bit")            \
    do_(REJECTED,    "invalid options, and distributions that it does not fit, are rejected with a message") \
    do_(FLOAT,       "on a float tape it is the same, rounded")                                              \
    do_(UNBIASED,    "the score estimator with it is unbiased")
/* clang-format on */
GB_STATEMENT_CODES(GB_BASELINE_STATEMENTS);

/* One draw for all rows; or a draw for each row, and a cost that is a sum over rows; or a cost that mixes
 * them. */
typedef enum gb_baseline_rows { GB_NO_ROWS, GB_ROWS_APART, GB_ROWS_MIXED } gb_baseline_rows;

/* The most draws of a case: more than any vector of a processor has lanes, and no multiple of these. */
enum { GB_BASELINE_DRAWS = 67 };

typedef struct gb_baseline_case {
    gb_kit *kit;
    gb_baseline baseline;
    gb_baseline (*make)(gb_tape *tape, void *user); /* NULL: the baseline as it is */
    void *user;
    gb_baseline_rows how;
    size_t samples, rows; /* rows is 1 with GB_NO_ROWS */
    double unit;          /* by which the cost is multiplied; 0: 1 */
    /* after recording */
    gb_tape *tape;
    /* Variables: location and scale of the normal distribution of the draw, and a weight in the cost. */
    gb_node model[3];
    gb_node fed, given, loss; /* `given`: the fed draws, along the samples */
    gb_node value, expected;  /* of the baseline; filled when the draw is folded */
    gb_node slope[2];         /* of `expected` in location and scale; inert without `expected` */
    gb_program *look, *train; /* `train` is NULL if it learns nothing */
} gb_baseline_case;

/* Records the draw, a cost, and the baseline of the two, on a new tape. Returns false on error. */
bool gb_baseline_record(gb_baseline_case *c, gb_real real);

/* Feeds draws, row after row, and runs; `value` receives all numbers of the baseline. A baseline that draws
 * has the noise of step 0, or of another step. Returns false on error. */
bool gb_baseline_look(const gb_baseline_case *c, const double *draws, double *value);
bool gb_baseline_look_at(const gb_baseline_case *c, uint64_t step, const double *draws, double *value);

/* Makes a few training runs, of what the baseline learns alone. Returns false on error. */
bool gb_baseline_train(const gb_baseline_case *c);

/* Returns draws number `which`; fewer samples and rows use the first ones. */
void gb_baseline_draws(size_t which, double draws[GB_BASELINE_DRAWS]);

/* Returns the index of the value of a sample and a row. */
size_t gb_baseline_place(const gb_baseline_case *c, size_t sample, size_t row);

/* Returns the score estimator with the baseline, on any tape. `made` and `c` must outlive it. */
gb_estimator gb_baseline_score(const gb_baseline_case *c, gb_baseline_type *made);

#endif
