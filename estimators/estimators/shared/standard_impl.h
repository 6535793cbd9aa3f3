/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions that are made of independent standard normals: normals, lognormals, normal vectors, transforms of these. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_STANDARD_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_STANDARD_IMPL_H

#include "distributions/distribution.h"

bool gb_is_of_normals(const gb_dist *q);

/* The shape of the normals that make one draw, and the draw, reparameterised, that x makes: of that shape, with more axes
 * in front of it. */
gb_shape gb_shape_of_normals(const gb_dist *q);
gb_node gb_draw_of_normals(const gb_dist *q, gb_node x);

#endif
