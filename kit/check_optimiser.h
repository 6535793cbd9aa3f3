/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of an optimiser, whichever it is: of grebe, or your own. Checked is what applies:
 *
 *   its struct      is complete
 *   descent         a quadratic, one of condition 100 and Rosenbrock's valley are lowered to 1e-4, 1e-4 and 1e-2 of where
 *                   they start, with one of a few learning rates, in 2000 runs of a cosine schedule
 *   steps           are those of a formula in plain C, to 1e-12, for given gradients from 1e-6 to 1e3
 *   float           tapes give the same, rounded
 *   variables       two are updated as one that holds both
 *   rate            as a node is the same as a number
 *   repeats         a program that is recorded again gives the same bits
 *   resumes         what is remembered are variables: after gb_tape_reset it goes on with the same bits
 *   NaN             among the data changes nothing: afterwards it goes on with the same bits
 *   refusals        a rate that makes no sense is refused by the optimiser's name
 *
 * The optimiser's own learning rate is kept where no other is said; its rate, if a node, and its schedule are not. */
#ifndef GREBE_KIT_CHECK_OPTIMISER_H
#define GREBE_KIT_CHECK_OPTIMISER_H

#include "../core/options.h"
#include "../models/optimiser.h"
#include "report.h"

GB_BEGIN_DECLS

/* What an optimiser makes of one number: x[i] is its value after the gradients 0 … i, with x[−1] = start. */
typedef void gb_optimiser_reference(const void *options, double start, size_t steps, const double *gradient,
                                    double *x);

typedef struct gb_check_optimiser_options {
    size_t size;
    gb_report *report; /* OPTIONAL: where the findings go, one for each statement */
    /* OPTIONAL: the formula. NULL: the published one, if the type has the name of one of grebe's that work element by
     * element; else steps are not compared. */
    gb_optimiser_reference *reference;
} gb_check_optimiser_options;

/* gb_check_optimiser(gb_adam()), gb_check_optimiser(mine(), .report = &report). True if nothing failed.
 * The optimiser must take variables without a metric (gb_natural: .others = 1). */
#define gb_check_optimiser(...)                                                                              \
    GB_CALL_1(gb_check_optimiser, __VA_ARGS__, .size = sizeof(gb_check_optimiser_options))
GB_API bool gb_check_optimiser_with(gb_optimiser optimiser, const gb_check_optimiser_options *options);

/* The published formula of that name; NULL: there is none. */
GB_API gb_optimiser_reference *gb_optimiser_reference_find(const char *name);

GB_END_DECLS
#endif
