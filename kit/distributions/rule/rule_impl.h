/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_RULE_RULE_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_RULE_RULE_IMPL_H

#include "kit/distributions/rule/points_impl.h"

/* Returns a rule without points, whose centre and width are the median of the projections of draws on a
 * direction, and the distance of their quartiles. */
gb_rule gb_rule_of_draws(gb_dist_case *c, size_t direction, size_t count, const double *draws);

/* Makes the rule for the density of `d`, a distribution on the case's tape. Returns false if there is no rule
 * for it, or on error. */
bool gb_rule_make(gb_rule *rule, gb_dist_case *c, gb_dist d);
/* Makes a rule that also integrates the log density of `other` well. */
bool gb_rule_make_for(gb_rule *rule, gb_dist_case *c, gb_dist d, gb_dist other);

#endif
