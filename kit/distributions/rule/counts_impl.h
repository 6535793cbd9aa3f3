/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_RULE_COUNTS_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_RULE_COUNTS_IMPL_H

#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/points_impl.h"

bool gb_rule_of_counts(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *sorted);
/* Sums over the different values of the draws, if they are few. */
bool gb_rule_of_places(gb_rule *rule, gb_case_function *f, size_t count, const double *sorted);
bool gb_rule_of_list(gb_rule *rule, gb_case_function *f, gb_dist d);
/* Sums over a transformed discrete distribution: the images of its base's points. */
bool gb_rule_of_image(gb_rule *rule, gb_case_function *f, gb_dist d, const gb_rule *of_base);

#endif
