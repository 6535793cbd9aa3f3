/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_MEASURING_PLAN_IMPL_H
#define GREBE_COMPARE_MEASURING_PLAN_IMPL_H

#include "compare/measuring/work_impl.h"

/* Records each estimator once, and chooses samples and replicates. Returns false if no estimator fits. */
bool gb_compare_plan(gb_compare_work *c);

/* Returns the plan of one estimator. */
gb_replicate_plan gb_compare_plan_of(const gb_compare_work *c, size_t which);

#endif
