/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a bound keeps its promises, one of grebe's or your own. The kit evaluates it at 1, 2 and 5
 * given log weights, and at those of draws in a model of normals whose log Z is known. It checks what
 * applies:
 *
 *   its struct      is complete
 *   value           is a real scalar, with a gradient
 *   formula         its values are those of a formula in plain C, to 1e-12
 *   tight           if all log weights are equal, it is that number: so with the exact posterior it is log Z
 *   shifts          adding a number to all log weights adds it to the bound, also ±2000, where exp fails
 *   order           of the samples does not matter
 *   particles       if it has none, the bound is linear in the log weights: terms may be taken out of it
 *   gradient        in the log weights is that of differences
 *   bend            is the second derivative in each log weight
 *   instead         `value_instead` is the bound with one log weight replaced
 *   columns         of log weights have bounds of their own
 *   over draws      the gradient in the parameters of q has the mean of the differences of the mean. With
 *                   gb_score it has that mean too, or is rejected
 *   side            its mean is not above log Z, unless the type has a caution
 *   rows            with draws of their own: the mean is the sum of their log Z, if the posterior is exact
 *   ELBO            as .bound of gb_elbo_new, with rows, its mean is log Z if the posterior is exact
 *   float           tapes give the same, rounded
 *
 * All but the formula is also checked at two random settings of its options. Arguments, nested plug-ins and
 * what has no text stay as they are.
 *
 * Each statistical check fails a correct bound with a probability of 1e-9. */
#ifndef GREBE_KIT_CHECK_BOUND_H
#define GREBE_KIT_CHECK_BOUND_H

#include "../core/options.h"
#include "../estimators/bound.h"
#include "report.h"

GB_BEGIN_DECLS

/* On which side of log Z the mean of a bound lies. */
typedef enum gb_bound_side { GB_BOUND_BELOW, GB_BOUND_ABOVE, GB_BOUND_NEITHER } gb_bound_side;

/* Returns the bound of `count` log weights. */
typedef double gb_bound_reference(size_t count, const double *log_weight);

typedef struct gb_check_bound_options {
    size_t size;
    gb_report *report;             /* OPTIONAL: receives the findings, one for each statement */
    uint64_t seed;                 /* changes the draws */
    gb_bound_reference *reference; /* OPTIONAL: the formula. NULL: reported as not checked */
    gb_bound_side side;
    /* The bound is no mean of the weights: it is neither tight nor shifted with them. */
    bool is_no_mean;
    gb_memory memory; /* {0}: malloc */
} gb_check_bound_options;

/* gb_check_bound(gb_evidence_bound()), gb_check_bound(mine(), .reference = formula, .report = &report).
 * Returns true if no check fails. */
#define gb_check_bound(...) GB_CALL_1(gb_check_bound, __VA_ARGS__, .size = sizeof(gb_check_bound_options))
GB_API bool gb_check_bound_with(gb_bound bound, const gb_check_bound_options *options);

GB_END_DECLS
#endif
