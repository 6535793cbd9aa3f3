/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_MOVED_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_MOVED_IMPL_H

#include "kit/distributions/rule/points_impl.h"

/* ∂E[f]/∂θ by differences, for all bounded f (the outer index) and all elements of all variables. */
bool gb_case_moved(gb_dist_case *c, const gb_rule *scale, double *out);

#endif
