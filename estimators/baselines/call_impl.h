/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baselines that are given the cost at the draw alone. */
#ifndef GREBE_ESTIMATORS_BASELINES_CALL_IMPL_H
#define GREBE_ESTIMATORS_BASELINES_CALL_IMPL_H

#include "estimators/estimator.h"

/* Returns the site with its draw as the only evaluation. */
gb_site gb_site_at_draw(const gb_site *site);

/* Returns the value of a baseline, without a gradient. `cost` is that at the draw. An error if the baseline
 * evaluates the cost at values of its own, or depends on the draw; `place` says what has no place for that.
 * */
gb_node gb_baseline_value_at_draw(gb_baseline baseline, const gb_site *site, gb_node cost, const char *place);

#endif
