/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_MEASURING_PLACE_IMPL_H
#define GREBE_COMPARE_MEASURING_PLACE_IMPL_H

#include "compare/measuring/work_impl.h"

/* Finds the parameters where estimates are made, unless they are given, and the exact gradient there. Returns
 * false on error. */
bool gb_compare_find_place(gb_compare_work *c, const double *given);

/* Stores the parameters at several places along a training by the first estimator, one after the other.
 * Returns false on error, or if the comparison was stopped. */
bool gb_compare_follow(gb_compare_work *c, size_t places, double *place);

/* Returns the step of such a place. */
int64_t gb_compare_step_of(const gb_compare_work *c, size_t places, size_t at);

#endif
