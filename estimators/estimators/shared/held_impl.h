/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value as a draw of a distribution whose noise is held: T(e; θ), with e = T⁻¹(z; θ) fixed. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_HELD_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_HELD_IMPL_H

#include "distributions/distribution.h"

/* Returns whether a distribution has a location and a scale (a normal vector too) or a distribution function,
 * or is a transform of one that has; and a support that does not depend on its parameters. */
bool gb_can_hold_noise(const gb_dist *d);

/* Returns z with the gradient in the parameters of d that a draw has at this value. z itself gets none. */
gb_node gb_at_held_noise(const gb_dist *d, gb_node z);

#endif
