/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of the distribution that is checked. */
#ifndef GREBE_KIT_DISTRIBUTIONS_CASE_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_CASE_IMPL_H

#include "kit/distributions/grid_impl.h"
#include "kit/shell/verdicts_impl.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_DIST_STATEMENTS(do_)                                                                              \
    do_(FORM,         "its struct is complete")                                                              \
    do_(CASES,        "instances of it can be made")                                                         \
    do_(RECORDED,     "it is recorded and run without an error")                                             \
    do_(AXES,         "log_prob is a number for each event, with the hidden axes of value")                  \
    do_(DRAWN,        "draws have all hidden axes that are asked for")                                       \
    do_(NORMALISED,   "its density sums or integrates to 1")                                                 \
    do_(GRADIENT,     "the gradient of log_prob is that of differences")                                     \
    do_(SECOND,       "the second gradient of log_prob is that of differences")                              \
    do_(FORMS,        "gradients of closed forms are those of differences")                                  \
    do_(BATCH,        "a batch equals its instances one by one")                                             \
    do_(FLOAT,        "on a float tape log_prob is the same but for rounding")                               \
    do_(AT_NAN,       "log_prob is NaN where the value is")                                                  \
    do_(EVERYWHERE,   "log_prob is no NaN in the domain of the support, its ends included")                  \
    do_(FAR,          "far out in the support log_prob is not suddenly -infinity")                           \
    do_(OUTSIDE,      "outside the support log_prob is -infinity, with no gradient")                         \
    do_(SCORE,        "its score has the mean 0")                                                            \
    do_(SUPPORT,      "draws lie in the support")                                                            \
    do_(DRAWS,        "draws follow the density")                                                            \
    do_(STREAMS,      "draws of two streams are not correlated")                                             \
    do_(APART,        "draws side by side, in a batch or along an axis, are not correlated")                 \
    do_(RDRAWS,       "reparameterised draws follow the density")                                            \
    do_(PATHWISE,     "gradients of reparameterised draws are those of the expectation")                     \
    do_(CDF,          "cdf is the integral of the density")                                                  \
    do_(ICDF,         "icdf is the inverse of cdf")                                                          \
    do_(MEAN,         "mean is that of the density")                                                         \
    do_(VARIANCE,     "variance is that of the density")                                                     \
    do_(MODE,         "mode is where the density is greatest")                                               \
    do_(ENTROPY,      "entropy is that of the density")                                                      \
    do_(REACH,        "its reach leads into its support, and to every draw")                                 \
    do_(RELAXED,      "its relaxation is continuous, and has its parameters")                                \
    do_(ENUMERATE,    "enumerate gives every value once")                                                    \
    do_(MEASURE,      "measure gives the derivative of expectations")                                        \
    do_(COUPLE,       "coupled draws follow the two measures")                                               \
    do_(KL,           "each divergence is that of the densities")                                            \
    do_(KL_ZERO,      "the divergence from itself is 0")                                                     \
    do_(REJECTED,     "an invalid parameter is rejected with a message")                                     \
    do_(REFERENCES,   "values are those of the references")
/* clang-format on */
GB_STATEMENT_CODES(GB_DIST_STATEMENTS);

typedef struct gb_dist_check {
    gb_kit kit;
    gb_dist_grid grid;
    size_t draws, cases;
    /* OPTIONAL: instances of the user, or numbers for the parameters, instead of the grid's */
    gb_dist (*make)(gb_tape *tape, size_t which, void *user);
    void *user;
    const double (*points)[GB_MAX_PARAMS];
    size_t count; /* of either */
} gb_dist_check;

enum { GB_CASE_VARIABLES = 8 };

/* One instance on a tape of its own. Buffers belong to the tape. */
typedef struct gb_dist_case {
    gb_dist_check *check;
    gb_kit *kit; /* its label names the instance */
    gb_case_number which;
    gb_tape *tape;
    gb_dist d;
    gb_node variable[GB_CASE_VARIABLES]; /* the variables in which it is differentiated */
    size_t variables;
    gb_shape shape; /* of a draw */
    size_t size;    /* elements of a draw */
    bool discrete;
    bool circle; /* draws are angles: only periodic functions of them are compared */
} gb_dist_case;

/* Checks RECORDED by the error of the tape; false if there is one. */
bool gb_dist_case_fine(gb_dist_case *c);

/* Begins a case without a distribution: gb_dist_case_end frees its tape. Returns false, and reports it,
 * without memory. */
bool gb_dist_case_tape(gb_dist_case *c, gb_dist_check *check, gb_real real);
bool gb_dist_case_begin(gb_dist_case *c, gb_dist_check *check, gb_case_number which);
/* Begins the same case on a float tape, where its parameters are rounded. Returns false if it cannot be made;
 * its tape may have the error. */
bool gb_dist_case_narrow(gb_dist_case *narrow, const gb_dist_case *c);
void gb_dist_case_end(gb_dist_case *c);
/* Begins a case, calls `judge` if it can be made, and ends it. */
void gb_dist_case_judge(gb_dist_check *check, gb_case_number which, void (*judge)(gb_dist_case *c));

/* Adds the variables of the tape to c->variable that were made when it had `from` nodes, or later. */
void gb_dist_case_find_variables(gb_dist_case *c, size_t from);
/* Returns the number of elements of all variables. */
size_t gb_case_elements(const gb_dist_case *c);
/* Returns the number of instances in one form of the parameters. */
size_t gb_dist_case_count(gb_dist_check *check, bool alternative);

#endif
