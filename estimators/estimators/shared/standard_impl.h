/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions made of independent standard normals: normal, lognormal, multivariate_normal, and transforms
 * of these. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_STANDARD_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_STANDARD_IMPL_H

#include "distributions/distribution.h"

bool gb_is_of_normals(const gb_dist *q);

/* gb_shape_of_normals returns the shape of the standard normals that make one draw. gb_draw_of_normals
 * returns the draw, reparameterised, from standard normals x of that shape; x may have further axes in
 * front. */
gb_shape gb_shape_of_normals(const gb_dist *q);
gb_node gb_draw_of_normals(const gb_dist *q, gb_node x);

#endif
