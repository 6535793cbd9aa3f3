/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that many types have in their slots, and the algebra of location and scale. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_SLOTS_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_SLOTS_IMPL_H

#include "distributions/distribution.h"

/* For slots: the first parameter; 0. */
gb_node gb_first_parameter(const gb_dist *d);
gb_node gb_always_zero(const gb_dist *d);

/* For the slot `fits` of a pair: whether the events have the same shape. */
bool gb_same_event(const gb_dist *q, const gb_dist *p);

/* With loc as parameter 0 and scale as parameter 1: z = (x − loc) / scale, and x = loc + scale z. For a draw
 * of d whose own density is taken, z is what the draw was made from. */
gb_node gb_to_standard(const gb_dist *d, gb_node x);
gb_node gb_from_standard(const gb_dist *d, gb_node z);

/* The same with another loc and scale, which depend on the parameters of d alone. */
gb_node gb_standard_of(const gb_dist *d, gb_node x, gb_node loc, gb_node scale);
gb_node gb_of_standard(const gb_dist *d, gb_node z, gb_node loc, gb_node scale);

/* For the slots `survival` and `inverse_survival` of types that are symmetric around their parameter "loc":
 * −x has the same law around −loc. */
gb_node gb_symmetric_survival(const gb_dist *d, gb_node x);
gb_node gb_symmetric_inverse_survival(const gb_dist *d, gb_node q);

/* a / (a + b), whose slopes b / (a + b)² and −a / (a + b)² do not cancel. */
gb_node gb_part(gb_node a, gb_node b);

/* `value` where the parameter is above the limit, else `otherwise`: for moments that do not always exist. */
gb_node gb_where_above(gb_node parameter, double limit, gb_node value, double otherwise);

#endif
