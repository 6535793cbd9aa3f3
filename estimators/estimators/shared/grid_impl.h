/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Product grids: every combination of what each of several numbers can be. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_GRID_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_GRID_IMPL_H

#include "estimators/estimator.h"

/* each^count, the combinations of `count` numbers with `each` values; 0, with an error of the site, where those are too
 * many. */
int64_t gb_grid_size(const gb_site *site, int64_t each, int64_t count);

/* Which value each number of `shape` has in each evaluation: integers, (evaluations) + shape. */
gb_node gb_grid_places(const gb_site *site, int64_t each, gb_shape shape);

#endif
