/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the parameters of a problem may lie. */
#ifndef GREBE_COMPARE_REPLICATES_DOMAIN_IMPL_H
#define GREBE_COMPARE_REPLICATES_DOMAIN_IMPL_H

#include "compare/problem.h"

struct gb_domain;

/* Returns the domain of a parameter whose elements are those of a draw's parameter; NULL: it is not known, or
 * all numbers. */
const struct gb_domain *gb_trial_domain(const gb_trial *trial, size_t parameter);

#endif
