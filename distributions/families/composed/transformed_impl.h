/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_COMPOSED_TRANSFORMED_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_COMPOSED_TRANSFORMED_IMPL_H

#include "distributions/distribution.h"

/* Whether each number of a draw is normal. True of normals and of normal vectors, also in another shape. */
bool gb_has_normal_numbers(const gb_dist *d);

#endif
