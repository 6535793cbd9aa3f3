/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What distributions around the normal share. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_NORMAL_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_NORMAL_IMPL_H

#include "distributions/distribution.h"
#include "ops/elementwise.h"

static const double gb_half_log_two_pi = 0.918938533204672741780329736405617640;

/* Whether each number of a draw is normal by itself: of normals, of normal vectors, and of those in another shape. */
bool gb_has_normal_numbers(const gb_dist *d);

#endif
