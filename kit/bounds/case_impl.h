/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_BOUNDS_CASE_IMPL_H
#define GREBE_KIT_BOUNDS_CASE_IMPL_H

#include "core/program.h"
#include "kit/shell/verdicts_impl.h"
#include "models/bound.h"

/* What is checked, in the order of the report. */
/* clang-format off */
#define GB_BOUND_STATEMENTS(do_)                                                                                      \
    do_(FORM,     "its struct is complete")                                                                  \
    do_(RECORDED, "it is recorded and run without an error")                                                 \
    do_(SCALAR,   "it is a real scalar")                                                                     \
    do_(FORMULA,  "its values are those of its formula")                                                     \
    do_(TIGHT,    "where all log weights are one number it is that number")                                  \
    do_(SHIFT,    "what is added to all log weights is added to it")                                         \
    do_(ORDER,    "the order of the samples does not matter")                                                \
    do_(LINEAR,   "it is linear in the log weights, since it does not say needs_weights")                    \
    do_(GRADIENT, "its gradient in the log weights is that of differences")                                  \
    do_(DRAWS,    "over draws its gradient has the mean of the differences")                                 \
    do_(SCORE,    "by gb_score its gradient has the same mean, or is refused")                               \
    do_(SIDE,     "its mean is on its side of log Z")                                                        \
    do_(ELBO,     "as the bound of an ELBO it has the mean log Z where the posterior is exact")              \
    do_(FLOAT,    "on a float tape it is the same, rounded")
/* clang-format on */
GB_STATEMENT_CODES(GB_BOUND_STATEMENTS);

typedef struct gb_bound_check {
    gb_kit kit;
    gb_bound bound;
    double (*reference)(size_t count, const double *log_weight); /* NULL: there is none */
    int side; /* −1: of log Z it lies below; 1: above; 0: neither */
    bool is_no_mean, is_indirect;
} gb_bound_check;

gb_tape *gb_bound_tape(const gb_bound_check *c, gb_real real);

/* SCALAR, of a value on a tape. */
bool gb_bound_is_scalar(gb_bound_check *c, const gb_tape *tape, gb_node value);

/* |is − should| ≤ allowed (1 + |should|) */
bool gb_bound_is_near(double is, double should, double allowed);

#endif
