/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_DRAWS_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_DRAWS_IMPL_H

#include "kit/distributions/rule/points_impl.h"

/* Compares draws with a rule, or, if `integrated` is false, with closed forms. Sorts numbers. */
void gb_dist_compare_draws(gb_dist_case *c, const gb_rule *rule, bool integrated, gb_statement statement,
                           size_t count, double *x);

#endif
