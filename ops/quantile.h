/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of counts, elementwise: the smallest whole number x with P(X ≤ x) ≥ u. A search finds it, so it
 * is exact but for the rounding of u. Arguments broadcast. The result is NaN for u outside [0, 1] and for
 * parameters outside their range; at u = 1 it is the end of the support. The derivative is 0. Each function
 * returns an inert node on error. */
#ifndef GREBE_OPS_QUANTILE_H
#define GREBE_OPS_QUANTILE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Poisson with mean rate ≥ 0. */
GB_API gb_node gb_poisson_quantile(gb_node rate, gb_node u);

/* The number of successes in `total` trials, and the number of successes before `total` failures (which need
 * not be a whole number). p is the probability of a success. `side` gives the smaller of p and 1 − p, with
 * all its digits: p if p is smaller, else −(1 − p). */
GB_API gb_node gb_binomial_quantile(gb_node total, gb_node side, gb_node u);
GB_API gb_node gb_negative_binomial_quantile(gb_node total, gb_node side, gb_node u);

GB_END_DECLS
#endif
