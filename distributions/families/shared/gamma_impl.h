/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the distributions around the gamma distribution. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_GAMMA_IMPL_H

#include "distributions/distribution.h"

/* A law of x by which r = rate x, or rate / x if it is inverse, is from Gamma(concentration, 1). */
typedef struct gb_gamma_law {
    gb_node concentration, rate;
    bool inverse;
} gb_gamma_law;

/* A draw x of d, which has this law, and the log density of x. */
gb_node gb_gamma_law_draw(const gb_dist *d, const gb_source *from, gb_gamma_law law);
gb_node gb_gamma_law_log_prob(const gb_dist *d, gb_node x, gb_gamma_law law);

/* log Γ(z + 2h) − 2 log Γ(z + h) + log Γ(z), for z ≥ 1. */
gb_node gb_log_gamma_bend(gb_node z, gb_node h);

/* (e^bend − 1) e^(2 log_mean), also where one factor overflows and the other underflows. */
gb_node gb_variance_of_logs(gb_node log_mean, gb_node bend);

/* The entropy of Gamma(a, 1). */
gb_node gb_gamma_entropy(gb_node a);

/* KL(Gamma(a, b) ‖ Gamma(c, d)), where (a, b) and (c, d) are the parameters of q and p. */
gb_node gb_gamma_kl(const gb_dist *q, const gb_dist *p);

#endif
