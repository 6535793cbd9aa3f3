/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of a standard normal that stay fixed. */
#ifndef GREBE_FITTING_METHOD_DRAWS_IMPL_H
#define GREBE_FITTING_METHOD_DRAWS_IMPL_H

#include "fitting/search/member_impl.h"

/* Stores `count` draws, an even number, for the free numbers of a family; those of points are 0. They are
 * scrambled Sobol points in pairs ε and −ε. With 4 draws or more for each dimension they have the unit matrix
 * as their covariance, exactly; with fewer, only its diagonal. `seed` decides them. */
gb_status gb_draws_fixed(const gb_family_of_normals *family, gb_tape *tape, uint64_t seed, size_t count,
                         double *draws);

#endif
