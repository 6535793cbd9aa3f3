/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions that occur in measure-valued derivatives only (Mohamed, Rosca, Figurnov and Mnih 2020). They
 * are in no list. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_NUMBERS_NORMAL_MEASURE_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_NUMBERS_NORMAL_MEASURE_IMPL_H

#include "distributions/distribution.h"

/* Density |z| e^(−z²/2) / scale for z = (x − loc) / scale of the sign `sign` (1 or −1), else 0: half of the
 * derivative of a normal in loc. It is a Weibull of concentration 2, shifted. */
gb_dist gb_normal_side(gb_node loc, gb_node scale, int sign);

/* Density z² e^(−z²/2) / (scale √(2π)): a Maxwell distribution on both sides. */
gb_dist gb_two_maxwells(gb_node loc, gb_node scale);

/* Their standard draws. */
gb_node gb_normal_side_noise(const gb_source *from);
gb_node gb_two_maxwells_noise(const gb_source *from);

#endif
