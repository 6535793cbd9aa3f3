/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_BOUNDS_CASE_IMPL_H
#define GREBE_KIT_BOUNDS_CASE_IMPL_H

#include "core/program.h"
#include "estimators/bound.h"
#include "kit/shell/verdicts_impl.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_BOUND_STATEMENTS(do_)                                                                             \
    do_(FORM,     "its struct is complete")                                                                  \
    do_(RECORDED, "it is recorded and run without an error")                                                 \
    do_(SCALAR,   "it is a real scalar")                                                                     \
    do_(FORMULA,  "its values are those of its formula")                                                     \
    do_(TIGHT,    "if all log weights are equal, it is that number")                                         \
    do_(SHIFT,    "adding a number to all log weights adds it to the bound")                                 \
    do_(ORDER,    "the order of the particles does not matter")                                              \
    do_(LINEAR,   "it is linear in the log weights, since it has no particles")                              \
    do_(GRADIENT, "its gradient in the log weights is that of differences")                                  \
    do_(BEND,     "its second derivatives in each log weight are those of differences")                      \
    do_(INSTEAD,  "with one log weight replaced it is the bound of these log weights")                       \
    do_(COLUMNS,  "of several columns of log weights it is the bound of each")                               \
    do_(DRAWS,    "over draws its gradient has the mean of the differences")                                 \
    do_(SCORE,    "with gb_score its gradient has the same mean, or is rejected")                            \
    do_(SIDE,     "its mean is on its side of log Z")                                                        \
    do_(ROWS,     "of rows with draws of their own it is the sum of their log Z, times the factor")          \
    do_(ELBO,     "as the bound of an ELBO its mean is log Z if the posterior is exact")                     \
    do_(FLOAT,    "on a float tape it is the same, rounded")
/* clang-format on */
GB_STATEMENT_CODES(GB_BOUND_STATEMENTS);

typedef struct gb_bound_check {
    gb_kit kit;
    gb_bound bound;
    double (*reference)(size_t count, const double *log_weight); /* NULL: values are not compared */
    int side;                                                    /* −1: below log Z; 1: above; 0: neither */
    bool is_no_mean;
    const void *options;                                       /* of the bound, with defaults filled in */
    gb_node (*bend)(const void *options, gb_node log_weights); /* NULL: it has none */
    gb_node (*instead)(const void *options, gb_node log_weights, gb_node instead); /* NULL: it has none */
} gb_bound_check;

gb_tape *gb_bound_tape(const gb_bound_check *c, gb_real real);

/* Checks SCALAR for a value on a tape. */
bool gb_bound_is_scalar(gb_bound_check *c, const gb_tape *tape, gb_node value);

/* Returns whether |is − should| ≤ allowed (1 + |should|). */
bool gb_bound_is_near(double is, double should, double allowed);

#endif
