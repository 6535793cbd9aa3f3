/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_COMPOSED_TRANSFORMED_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_COMPOSED_TRANSFORMED_IMPL_H

#include "distributions/distribution.h"

/* Whether each number of a draw is normal by itself. True of normals, of normal vectors, and of both in another
 * shape. */
bool gb_has_normal_numbers(const gb_dist *d);

#endif
