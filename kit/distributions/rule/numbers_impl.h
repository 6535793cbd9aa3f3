/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_RULE_NUMBERS_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_RULE_NUMBERS_IMPL_H

#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/points_impl.h"

/* Makes a rule for densities of numbers. The rule's centre and width, from the draws, are given. */
bool gb_rule_of_numbers(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *sorted);

#endif
