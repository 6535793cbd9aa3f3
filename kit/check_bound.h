/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of a bound, whichever it is: of grebe, or your own. It is given log weights, 1, 2 and 5 of them; and those of
 * draws in a model of normals whose log Z is known. Checked is what applies:
 *
 *   its struct      is complete
 *   value           is a real scalar, with a gradient
 *   formula         its values are those of a formula in plain C, to 1e-12
 *   tight           where all log weights are one number it is that number: so with the exact posterior it is log Z
 *   shifts          a number added to all log weights is added to it, −2000 and 2000 too, where exp would not do
 *   order           of the samples does not matter
 *   needs_weights   if it does not say so, it is linear in the log weights: terms may be taken out of it
 *   gradient        in the log weights is that of differences
 *   over draws      the gradient in the parameters of q has the mean of the differences of the mean; by gb_score too, or that
 *                   is refused
 *   side            its mean is not above log Z
 *   ELBO            as .bound of gb_elbo_new, with rows, it has the mean log Z where the posterior is exact
 *   float           tapes give the same, rounded
 *
 * Statistical checks fail a right bound with a probability of 1e-9 each. */
#ifndef GREBE_KIT_CHECK_BOUND_H
#define GREBE_KIT_CHECK_BOUND_H

#include "../core/options.h"
#include "../models/bound.h"
#include "report.h"

GB_BEGIN_DECLS

/* On which side of log Z the mean of a bound lies. */
typedef enum gb_bound_side { GB_BOUND_BELOW, GB_BOUND_ABOVE, GB_BOUND_NEITHER } gb_bound_side;

/* The bound of so many log weights. */
typedef double gb_bound_reference(size_t count, const double *log_weight);

typedef struct gb_check_bound_options {
    size_t size;
    gb_report *report;             /* OPTIONAL: where the findings go, one for each statement */
    uint64_t seed;                 /* other draws */
    gb_bound_reference *reference; /* OPTIONAL: the formula. NULL: values are not compared */
    gb_bound_side side;
    bool is_no_mean; /* it is no mean of the weights: neither tight nor moved by as much as they are */
    bool
        is_indirect; /* its gradient is that of its value in the mean over draws only, as of doubly reparameterised ones */
    gb_memory memory; /* {0}: malloc */
} gb_check_bound_options;

/* gb_check_bound(gb_evidence_bound()), gb_check_bound(mine(), .reference = formula, .report = &report). True if nothing failed. */
#define gb_check_bound(...) GB_CALL_1(gb_check_bound, __VA_ARGS__, .size = sizeof(gb_check_bound_options))
GB_API bool gb_check_bound_with(gb_bound bound, const gb_check_bound_options *options);

GB_END_DECLS
#endif
