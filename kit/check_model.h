/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a ready model keeps its promises, one of grebe's or your own. The kit makes a table of 24 rows
 * whose outcomes fit the type, records the model for it, and looks at log p of the latents at a few points.
 * It checks what applies:
 *
 *   its struct      is complete
 *   recording       has no error; log p is finite
 *   names           what is shown has names of its own
 *   weights         log p is linear in the weight of a row, if scales stay: a row of weight 2 counts twice.
 *                   Of a whole it only depends on it, since copies of a datum need not be independent
 *   repeated rows   a row of weight 2 is two rows, and one of weight 0 is none, scales included
 *   missing         a row without an outcome says what a row of weight 0 says; or is a latent
 *   gaps            of a model without outcome, a missing number says nothing: not what is fed for it, and a
 *                   row without any is one of weight 0; or missing numbers are rejected
 *   units           other units of columns, and of outcomes that are numbers, move log p by a constant
 *   batches         log p of all rows is the sum over batches
 *   posteriors      a point, a mean field and a full covariance can stand in the place of each other
 *   new rows        are predicted; their outcomes are scored where they are there
 *   the law         by which rows are predicted is that of the likelihood: Σ log p of the rows is the term
 *                   of the data, or above it if that is a bound
 *   offsets         an offset is a column whose coefficient is 1: ½ more of it changes predictions as ½ / β
 *                   more of column a does, if the model shows β, a number, as "a"
 *   groups          rows of other groups are predicted otherwise
 *   errors          a larger standard error is more noise
 *   trials          of twice the trials twice as many succeed
 *   notes           a process that has only a checkpoint predicts the same
 *
 * Nothing is random, so a correct model never fails. A wrong link or another family of laws than the name
 * says is not noticed: the kit does not know what the model should be. */
#ifndef GREBE_KIT_CHECK_MODEL_H
#define GREBE_KIT_CHECK_MODEL_H

#include "../ready/model.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_model_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    /* The right side of the formula, of the numbers a and b and the factor f; NULL: "a + b", without an
     * intercept if there is no outcome, or "z + f" for columns of 0 and 1. */
    const char *columns;
    bool with_group, with_error, with_trials; /* as far as the type takes them */
    bool has_units;   /* priors are in the units of the data, as with .raw: units are not checked */
    gb_memory memory; /* {0}: malloc */
} gb_check_model_options;

/* gb_check_model(gb_linear_model(), .report = &report). Returns true if no check fails. */
#define gb_check_model(...) GB_CALL_1(gb_check_model, __VA_ARGS__, .size = sizeof(gb_check_model_options))
GB_API bool gb_check_model_with(gb_model model, const gb_check_model_options *options);

GB_END_DECLS
#endif
