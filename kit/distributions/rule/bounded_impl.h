/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounded functions of a standardised number, whose expectations are compared. */
#ifndef GREBE_KIT_DISTRIBUTIONS_RULE_BOUNDED_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_RULE_BOUNDED_IMPL_H

#include "kit/distributions/rule/points_impl.h"

enum { GB_CASE_FUNCTIONS = 3 };
double gb_case_bounded(size_t which, double z);
gb_node gb_case_bounded_node(size_t which, gb_node z);

/* Records gb_case_project. */
gb_node gb_case_project_node(const gb_dist_case *c, const gb_rule *rule, gb_node x);

/* Returns E[f] by a rule; draws are standardised by `scale`. */
double gb_case_expectation(const gb_dist_case *c, const gb_rule *scale, const gb_rule *rule, size_t which);

#endif
