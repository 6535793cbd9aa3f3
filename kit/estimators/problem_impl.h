/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of costs on which estimators are tried. */
#ifndef GREBE_KIT_ESTIMATORS_PROBLEM_IMPL_H
#define GREBE_KIT_ESTIMATORS_PROBLEM_IMPL_H

#include "compare/replicates.h"

typedef enum gb_check_mode {
    GB_CHECK_PLAIN,
    GB_CHECK_PARAMETERS, /* times a function of the first parameter */
    GB_CHECK_OWN_LOG_Q,  /* the plain cost, with own log q */
    GB_CHECK_SITES,      /* a product with the cost of another draw */
    GB_CHECK_DEPENDENT,  /* a normal draw around the cost */
    GB_CHECK_ROWS,       /* a sum over rows, with draws, parameters and a weight for each */
    /* Minus the plain cost is log p, of a normal with a prior besides, in the importance weighted bound of
     * two draws. */
    GB_CHECK_BOUND,
    GB_CHECK_PATH,       /* the same in the thermodynamic objective */
    GB_CHECK_BOUND_ROWS, /* the first, for each row: each stands for several data */
    /* Costs that some estimators need to be different. */
    GB_CHECK_JOINT_SAMPLES, /* the square of the mean of the draws of all samples */
    GB_CHECK_JOINT_ROWS,    /* the square of the weighted sum of the draws of all rows */
    GB_CHECK_JUMP,          /* 1 where the draw is above a number, else 0 */
    GB_CHECK_MODES
} gb_check_mode;

/* Whether the cost is a bound of several draws. */
bool gb_check_is_bound(gb_check_mode mode);

/* Families of distributions with a cost whose mean is known; each also as a batch of unlike elements. */
size_t gb_check_families(void);
const char *gb_check_family_name(size_t family);
bool gb_check_family_is_batch(size_t family);
bool gb_check_family_is_rare(size_t family);           /* for estimators that fit no other one */
gb_dist gb_check_family(gb_tape *tape, size_t family); /* with constants for parameters */
/* Fills in the problem of a family in a mode. With `own_log_q` the cost also contains a multiple of log q of
 * the draw, in modes with a single draw. Returns false if there is no closed form. */
bool gb_check_cost(size_t family, gb_check_mode mode, bool own_log_q, gb_replicate_plan *plan);

/* Multiplies the cost by 2^exponent. */
void gb_check_set_unit(gb_replicate_plan *plan, int exponent);

/* Makes the draw one of 67 numbers, of which the cost sees four. */
void gb_check_set_wide(gb_replicate_plan *plan);

#endif
