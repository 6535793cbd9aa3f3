/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Product grids: all combinations of the values of several numbers. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_GRID_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_GRID_IMPL_H

#include "estimators/estimator.h"

/* Returns each^count, the number of combinations of `count` numbers with `each` values. Returns 0, and
 * records an error, if there are too many. */
int64_t gb_grid_size(const gb_site *site, int64_t each, int64_t count);

/* Returns the index of the value of each number in each of the `size` combinations: integers of shape (size)
 * + shape. */
gb_node gb_grid_places(const gb_site *site, int64_t size, int64_t each, gb_shape shape);

#endif
