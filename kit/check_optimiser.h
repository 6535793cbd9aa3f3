/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that an optimiser keeps its promises, one of grebe's or your own. It checks what applies:
 *
 *   its struct      is complete
 *   descent         a quadratic, one of condition 100 and Rosenbrock's valley fall to 1e-4, 1e-4 and 1e-2 of
 *                   their start, with one of a few learning rates, in 2000 runs of a cosine schedule
 *   steps           are those of a formula in plain C, to 1e-12, for given gradients from 1e-6 to 1e3 and
 *                   variables from 0 to 5e6, at its own rate and at a thousand times that; without a formula
 *                   the report says that it is not checked
 *   float           tapes give the same, rounded
 *   variables       two, or a matrix, are updated as a vector of the same numbers
 *   rate            as a node is the same as a number, which is then not looked at
 *   schedule        is a factor of the rate: that of step decay gives the steps of a rate that is fed
 *   clip            it goes by the gradients that gb_minimise has clipped; skipped if it goes by the loss too
 *   repeats         a program that is recorded again gives the same bits
 *   resumes         the state is in variables: after gb_tape_reset it goes on with the same bits
 *   NaN             among the data changes nothing: afterwards it goes on with the same bits
 *   rejections      of an invalid rate name the optimiser
 *
 * The optimiser keeps its learning rate where no other is stated. Its rate, if a node, and its schedule are
 * replaced. */
#ifndef GREBE_KIT_CHECK_OPTIMISER_H
#define GREBE_KIT_CHECK_OPTIMISER_H

#include "../core/options.h"
#include "../models/optimiser.h"
#include "report.h"

GB_BEGIN_DECLS

/* The steps of an optimiser on one number: x[i] is its value after the gradients 0 … i, with x[−1] =
 * start. */
typedef void gb_optimiser_reference(const void *options, double start, size_t steps, const double *gradient,
                                    double *x);

typedef struct gb_check_optimiser_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    /* OPTIONAL: the formula. NULL: the published one, if the type has the name of an elementwise optimiser of
     * grebe's; else the report says that it is not checked. */
    gb_optimiser_reference *reference;
} gb_check_optimiser_options;

/* gb_check_optimiser(gb_adam()), gb_check_optimiser(mine(), .report = &report). Returns true if no check
 * fails. The optimiser must take variables without a metric (gb_natural: .others = 1). */
#define gb_check_optimiser(...)                                                                              \
    GB_CALL_1(gb_check_optimiser, __VA_ARGS__, .size = sizeof(gb_check_optimiser_options))
GB_API bool gb_check_optimiser_with(gb_optimiser optimiser, const gb_check_optimiser_options *options);

/* Returns the published formula of that name; NULL if there is none. */
GB_API gb_optimiser_reference *gb_optimiser_reference_find(const char *name);

GB_END_DECLS
#endif
