/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions that come up in measure-valued derivatives alone (Mohamed, Rosca, Figurnov and Mnih 2020), and are in
 * no list. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_NUMBERS_NORMAL_MEASURE_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_NUMBERS_NORMAL_MEASURE_IMPL_H

#include "distributions/distribution.h"

/* Density |z| e^(−z²/2) / scale of z = (x − loc) / scale where z has the sign of `sign` (1 or −1), else 0: half of the
 * derivative of a normal in loc. A Weibull of concentration 2, moved. */
gb_dist gb_normal_side(gb_node loc, gb_node scale, int sign);

/* Density z² e^(−z²/2) / (scale √(2π)): a Maxwell on either side. */
gb_dist gb_two_maxwells(gb_node loc, gb_node scale);

/* Their standard draws. */
gb_node gb_normal_side_noise(const gb_source *from);
gb_node gb_two_maxwells_noise(const gb_source *from);

#endif
