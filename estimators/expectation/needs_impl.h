/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The needs of estimators (GB_NEEDS…), each checked where it can first be seen. No other file looks at
 * them. */
#ifndef GREBE_ESTIMATORS_EXPECTATION_NEEDS_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_NEEDS_IMPL_H

#include "estimators/expectation/sites_impl.h"
#include "estimators/reach.h"

/* Returns whether the estimator of a site has a need, with its options. */
bool gb_site_needs(const own_site *own, unsigned need);

/* Returns whether its `combine` differentiates costs in the values of the site. */
bool gb_site_takes_slopes(const own_site *own);

/* These return false on an error, which the tape has; gb_mark_sites must have marked the node.
 *
 * gb_cost_has_needs: the needs of all reached sites in a cost whose gradient is estimated, as far as they
 * show before folding. gb_values_have_needs: the same for a node of which only the values count. Draws of
 * their own have right values in any cost; weighted values, and draws that depend on each other, have not. */
bool gb_cost_has_needs(const gb_expect *e);
bool gb_values_have_needs(const gb_expect *e, gb_node node);

/* While folding, when the sites drawn later are folded: the cost is continuous in the draw; and, once the
 * cost is split, it is a sum over rows. */
bool gb_cost_is_smooth(const own_site *own, gb_node cost);
bool gb_rows_are_separate(const own_site *own, const gb_reach *reach);

#endif
