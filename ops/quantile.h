/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of counts, elementwise: the smallest whole number x with P(X ≤ x) ≥ u, found by search, so exact but for
 * the rounding of u. Arguments broadcast. NaN for a u outside [0, 1] and for parameters that are not allowed; at u = 1
 * the end of the support. Steps have no derivative: it is 0. */
#ifndef GREBE_OPS_QUANTILE_H
#define GREBE_OPS_QUANTILE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Of Poisson counts with this rate ≥ 0. */
GB_API gb_node gb_poisson_quantile(gb_node rate, gb_node u);

/* Of successes in `total` trials, and of successes before `total` failures (which need not be whole), where a success
 * has the probability p. p is given by `side`, the smaller of p and 1 − p: p itself, or −(1 − p), to have its digits. */
GB_API gb_node gb_binomial_quantile(gb_node total, gb_node side, gb_node u);
GB_API gb_node gb_negative_binomial_quantile(gb_node total, gb_node side, gb_node u);

GB_END_DECLS
#endif
