/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the distributions around the gamma distribution. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H

#include "distributions/distribution.h"

/* log Γ(z + 2h) − 2 log Γ(z + h) + log Γ(z), for z ≥ 1. */
gb_node gb_log_gamma_bend(gb_node z, gb_node h);

/* The entropy of Gamma(a, 1). */
gb_node gb_gamma_entropy(gb_node a);

/* KL(Gamma(a, b) ‖ Gamma(c, d)), where (a, b) and (c, d) are the parameters of q and p. */
gb_node gb_gamma_kl(const gb_dist *q, const gb_dist *p);

#endif
