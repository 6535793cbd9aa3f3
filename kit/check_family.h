/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a posterior family keeps its promises, one of grebe's or your own. The kit asks it for
 * posteriors of one or two free numbers over each of a dozen supports (real numbers, vectors and matrices,
 * positive, intervals, simplexes, ordered, factors of correlations). It checks those that the family accepts,
 * at their start and with their variables moved:
 *
 *     its struct   is complete; it accepts a support; rejections have a message with the name of the latent
 *     draws        have the requested shape, and lie in the support of the prior
 *     variables    are named NAME, or NAME.PART; a reset tape finds them again, with their values
 *     start        is where its slot `start` says, in free numbers, also with other values of the options
 *                  .location, .scale and .map
 *     options      .location, .spread, .locations, .scale and .map, those of them that its table has, change
 *                  the draws of 40 real numbers as they should; a .location of ±1e3 and ±1e6 is there
 *     log q        integrates to 1 over the support, as a density of the free numbers of the kit's own
 *                  transform: so transform and Jacobian occur exactly once
 *     draws        have the means of bounded functions that log q implies
 *     gradient     of E_q[f], by draws and an estimator that fits, is that of the integral of f q, and that
 *                  of its differences: no variable has lost its gradient, nor does one lose it 1.5 further
 *                  on; two free numbers can be moved apart
 *     float        tapes give the same log q
 *
 * Two random settings of its other options (but arguments, nested plug-ins and what has no text) are checked
 * over two of these supports.
 *
 * Six positive numbers are too many for integrals. There draws are compared with log q by identities: the
 * slopes of log q in the numbers and in the variables are 0 on average over draws, and the gradient of E_q[f]
 * is that by the slopes of log q.
 *
 * Integrals are by the trapezoidal rule on three grids, accurate to 1e-6, or to the difference between the
 * grids if a density has a kink. Each statistical check fails a correct family with a probability of 1e-9.
 * A family that has .locations or gb_posterior_of set, which fixes the number of elements, cannot be checked
 * here.
 *
 * The family should start with free numbers about 0 that vary by 0.05 to 1. Much wider ones fail: in double
 * precision, a number in (-1, 1) is rounded to 1 from free numbers of 19 on, which is outside the support. */
#ifndef GREBE_KIT_CHECK_FAMILY_H
#define GREBE_KIT_CHECK_FAMILY_H

#include "../core/options.h"
#include "../models/family.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_family_options {
    size_t size;
    gb_report *report; /* OPTIONAL: receives the findings, one for each statement */
    uint64_t seed;     /* changes the draws */
} gb_check_family_options;

/* gb_check_family(gb_full_rank(gb_shape(), .scale = 0.5), .report = &report). Returns true if no check fails.
 * The family is checked with the options that it has; the kit replaces its shape. */
#define gb_check_family(...) GB_CALL_1(gb_check_family, __VA_ARGS__, .size = sizeof(gb_check_family_options))
GB_API bool gb_check_family_with(gb_family family, const gb_check_family_options *options);

GB_END_DECLS
#endif
