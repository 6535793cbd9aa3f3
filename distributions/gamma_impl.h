/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the distributions around the gamma distribution are made of, so that nothing cancels for large concentrations.
 *
 * With D(r) = r − 1 − log r ≥ 0 and log Γ(a) = a log a − a + φ(a) (Stirling), a log density is a deviance plus a small
 * rest (Loader 2000), and a divergence a sum of deviances and of Bregman divergences
 *
 *     B_f(c, a) = f(c) − f(a) − (c − a) f'(a)
 *
 * of log Γ and of φ, which are convex: sums of terms that are not negative. Values have relative errors of some 10 ε, their
 * derivatives absolute ones of that size. */
#ifndef GREBE_DISTRIBUTIONS_GAMMA_IMPL_H
#define GREBE_DISTRIBUTIONS_GAMMA_IMPL_H

#include "distributions/distribution.h"

#define GB_EULER 0.577215664901532860606512090082402431

/* e^w − 1 − w. */
gb_node gb_exp_excess(gb_node w);

/* log(r^a e^−r / Γ(a)): the log density of log x where x is from Gamma(a, 1). */
gb_node gb_log_gamma_kernel(gb_node a, gb_node r);

/* log a − ψ(a). */
gb_node gb_log_less_digamma(gb_node a);

/* B_f(c, a) for log Γ, and for φ. */
gb_node gb_log_gamma_bregman(gb_node c, gb_node a);
gb_node gb_stirling_bregman(gb_node c, gb_node a);

/* log Γ(z + 2h) − 2 log Γ(z + h) + log Γ(z). */
gb_node gb_log_gamma_bend(gb_node z, gb_node h);

/* The entropy of Gamma(a, 1). */
gb_node gb_gamma_entropy(gb_node a);

/* KL(Gamma(a, b) ‖ Gamma(c, d)), with rates b and d. */
gb_node gb_gamma_kl(gb_node a, gb_node b, gb_node c, gb_node d);

/* e^log_x, kept from being 0 or infinite: a density may be infinite there, and draws are not there. */
gb_node gb_positive_draw(gb_node log_x);

/* x within the smallest and the greatest number below 1. */
gb_node gb_open_unit_draw(gb_node x);

#endif
