/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_MEASURING_LEARN_IMPL_H
#define GREBE_COMPARE_MEASURING_LEARN_IMPL_H

#include "compare/measuring/work_impl.h"

/* Lets an estimator learn before it is measured. Sets `moving` of its probe if what it
 * learns did not settle. Does nothing for one that does not learn. Returns false on error, or if the
 * comparison was stopped. */
bool gb_compare_learn(gb_compare_work *c, gb_replicates *r, size_t which);

/* Returns about how many runs that takes, at most. */
double gb_compare_lessons(const gb_compare_work *c);

#endif
