/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of a posterior family, whichever it is: of grebe, or your own. It is asked for posteriors of one or two
 * free numbers over each of a dozen supports (real numbers, vectors and matrices, positive, intervals, simplexes,
 * ordered, factors of correlations). Of those that it does not refuse is checked what applies, as they start and
 * with their variables moved:
 *
 *     its struct   is complete; something is accepted; refusals are in words, with the name of the latent
 *     draws        have the shape that was asked for, and lie in the support of the prior
 *     variables    are named NAME, or NAME.PART; a reset tape finds them again, with their values
 *     start        is where its slot `start` says, in free numbers
 *     log q        integrates to 1 over the support, as a density of the free numbers of the kit's own transform:
 *                  so transform and Jacobian are there, once
 *     draws        have the means of bounded functions that log q gives them
 *     gradient     of E_q[f], by draws and an estimator that fits, is that of the integral of f q
 *     float        tapes give the same log q
 *
 * Integrals are by the trapezoidal rule on three grids, good to 1e-6, or where a density has a kink to what the grids
 * differ by. Statistical checks fail a right family with a probability of 1e-9 each. What fixes the number of elements
 * (.locations, gb_posterior_of) cannot be checked here.
 *
 * The family should start with free numbers that vary by 0.05 to 1, about 0: in double, where a number in (-1, 1) is rounded
 * to 1 from 19 on, much wider ones have draws outside of the support, and are told so. */
#ifndef GREBE_KIT_CHECK_FAMILY_H
#define GREBE_KIT_CHECK_FAMILY_H

#include "../core/options.h"
#include "../models/family.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_family_options {
    size_t size;
    gb_report *report; /* OPTIONAL: where the findings go, one for each statement */
    uint64_t seed;     /* other draws */
} gb_check_family_options;

/* gb_check_family(gb_full_rank(gb_shape(), .scale = 0.5), .report = &report). True if nothing failed.
 * The family comes with the options that it is to be checked with; its shape is the kit's business. */
#define gb_check_family(...) GB_CALL_1(gb_check_family, __VA_ARGS__, .size = sizeof(gb_check_family_options))
GB_API bool gb_check_family_with(gb_family family, const gb_check_family_options *options);

GB_END_DECLS
#endif
