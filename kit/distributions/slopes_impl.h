/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_SLOPES_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_SLOPES_IMPL_H

#include "kit/distributions/rule/points_impl.h"

/* Computes ∂E[f]/∂θ by a rule, for all bounded f (the outer index) and all elements of all variables. */
bool gb_case_expected_slopes(gb_dist_case *c, const gb_rule *rule, double *out);

#endif
