/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of costs on which estimators are tried. */
#ifndef GREBE_KIT_ESTIMATORS_PROBLEM_IMPL_H
#define GREBE_KIT_ESTIMATORS_PROBLEM_IMPL_H

#include "compare/replicates.h"

typedef enum gb_check_mode {
    GB_CHECK_PLAIN,
    GB_CHECK_PARAMETERS, /* times a function of the first parameter */
    GB_CHECK_OWN_LOG_Q,  /* plus a multiple of log q of the draw */
    GB_CHECK_SITES,      /* a product with the cost of another draw */
    GB_CHECK_DEPENDENT,  /* a normal draw around the cost */
    GB_CHECK_ROWS,       /* a sum over rows, with draws, parameters and a weight for each */
    GB_CHECK_MODES
} gb_check_mode;

/* Families of distributions with a cost whose mean is known. */
size_t gb_check_families(void);
const char *gb_check_family_name(size_t family);
gb_dist gb_check_family(gb_tape *tape, size_t family); /* with constants for parameters */
/* Fills in the problem of a family in a mode. Returns false if it has no closed form. */
bool gb_check_problem(size_t family, gb_check_mode mode, gb_replicate_plan *plan);

#endif
