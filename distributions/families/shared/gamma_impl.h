/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the distributions around the gamma distribution share. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H

#include "distributions/distribution.h"

#define GB_EULER 0.577215664901532860606512090082402431

/* log Γ(z + 2h) − 2 log Γ(z + h) + log Γ(z), for z ≥ 1. */
gb_node gb_log_gamma_bend(gb_node z, gb_node h);

/* The entropy of Gamma(a, 1). */
gb_node gb_gamma_entropy(gb_node a);

/* KL(Gamma(a, b) ‖ Gamma(c, d)), with rates b and d. */
gb_node gb_gamma_kl(gb_node a, gb_node b, gb_node c, gb_node d);

/* The same distribution as a gamma distribution: of gamma, chi_squared and exponential. And divergences between these. */
gb_dist gb_as_gamma(const gb_dist *d);
gb_node gb_kl_as_gamma(const gb_dist *q, const gb_dist *p);

/* e^log_x, kept from being 0 or infinite: a density may be infinite there, and draws are not there. */
gb_node gb_positive_draw(gb_node log_x);

/* x, kept from being infinite, and so far from it that differences and ratios near 1 are finite. */
gb_node gb_finite_draw(gb_node x);

/* x within the smallest and the greatest number below 1. */
gb_node gb_open_unit_draw(gb_node x);

#endif
