/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison whose estimates are shared out among the members of a team. */
#ifndef GREBE_COMPARE_MEASURING_TOGETHER_IMPL_H
#define GREBE_COMPARE_MEASURING_TOGETHER_IMPL_H

#include "compare/measuring/tally_impl.h"

/* Returns whether this member makes the estimates of a block; it makes all of them without a team. */
bool gb_compare_is_mine(const gb_compare_work *c, int64_t block);

/* Returns whether all members are good; if not, records the error of the first that is not. Without a team,
 * whether this one is. */
bool gb_compare_meet(gb_compare_work *c, bool good);

/* Joins the tallies of all members, in the order of ranks, if all are good. Does nothing without a team. */
void gb_compare_join(gb_compare_work *c, gb_compare_tally *tally, bool good);

#endif
