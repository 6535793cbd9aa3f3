/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the distributions around the gamma distribution share. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H

#include "distributions/distribution.h"

/* log Γ(z + 2h) − 2 log Γ(z + h) + log Γ(z), for z ≥ 1. */
gb_node gb_log_gamma_bend(gb_node z, gb_node h);

/* The entropy of Gamma(a, 1). */
gb_node gb_gamma_entropy(gb_node a);

/* KL(Gamma(a, b) ‖ Gamma(c, d)), with rates b and d. */
gb_node gb_gamma_kl(gb_node a, gb_node b, gb_node c, gb_node d);

#endif
