/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_ESTIMATORS_EXPECTATION_FOLD_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_FOLD_IMPL_H

#include "estimators/expectation/sites_impl.h"

/* Folds the sites into the cost, from the last drawn to the first: replaces the cost by what `combine`
 * returns for it. */
gb_node gb_fold(gb_expect *e, gb_node cost);

/* Returns a node as it is at the draws, recorded again without the other evaluations of probing sites: they
 * would take as much memory and time for each. A few are left: a program that trains has them anyway. */
gb_node gb_without_evaluations(gb_expect *e, gb_node x);

/* Like gb_fold, but for values only: takes the cost at the draws, and sums over weighted values. */
gb_node gb_fold_values(gb_expect *e, gb_node cost);

#endif
