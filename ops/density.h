/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that densities are made of. Each is one operation with a vector kernel, so that a density needs
 * few operations. Each function returns an inert node on error.
 *
 * Largest errors measured, in units in the last place, against exact values at 4e3 random arguments of each
 * function, on all instruction sets:
 *
 *                               double   float
 *     log1p_square               0.8      1.3
 *         its slope              1.5      2.2
 *     log_gamma_step             5.5      7.1     of 1/2, where it is smaller (it has a zero at 1.22)
 *         its slope              2.9      2.8
 *     gamma_body                 2.1      2.8     of its largest term, which is log a near r = a, and
 *                                                 a |log r| or a log a where |r - a| > (r + a) / 4
 *     gamma_rest                 2.8      3.0
 *         its slope              4.7      3.7 */
#ifndef GREBE_OPS_DENSITY_H
#define GREBE_OPS_DENSITY_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* log(1 + z²), also where z² overflows. */
GB_API gb_node gb_log1p_square(gb_node z);

/* log Γ(a + ½) − log Γ(a) for a > 0, without cancellation. */
GB_API gb_node gb_log_gamma_step(gb_node a);

/* The log density of Gamma(a, 1) at r is gb_gamma_body(a, r, log_x, log_rate) − gb_gamma_rest(a). The rest is
 * evaluated for each parameter, the body for each draw. The logarithm of r is log_x + log_rate; log_rate may
 * vary with the parameters alone. So it is known even where the product r underflows.
 *
 *              a ≤ 4                  a > 4
 *     body     (a − 1) log r − r      (a − 1) log(r / a) − r + a, without cancellation near r = a
 *     rest     log Γ(a)               log Γ(a) − (a − 1) log a + a
 *
 * Where r is 0 or infinite, the body is the limit. */
GB_API gb_node gb_gamma_body(gb_node a, gb_node r, gb_node log_x, gb_node log_rate);
GB_API gb_node gb_gamma_rest(gb_node a);

/* gb_gamma_body + log_rate, the same of a density of x: its derivative in log_rate is a − r, also for an a
 * that would be lost beside 1. */
GB_API gb_node gb_gamma_scaled_body(gb_node a, gb_node r, gb_node log_x, gb_node log_rate);

/* Where the logarithm of r is known better than r, the body is gb_gamma_log_body(a, m) with m = log r −
 * gb_gamma_log_unit(a). The unit is a where a is large, that is a > 4; else it is 1. Near the mean of a
 * large a, m is small, and the body has all digits that m has. */
GB_API gb_node gb_gamma_is_large(gb_node a);
GB_API gb_node gb_gamma_log_unit(gb_node a);
GB_API gb_node gb_gamma_log_body(gb_node a, gb_node m);

/* I₁(κ)/I₀(κ) − 1 for κ ≥ 0, the derivative of log(e^−κ I₀(κ)). The relative error is below 100 units in the
 * last place. gb_von_mises_spread is −1 times this to some units, and takes 50 times as long. */
GB_API gb_node gb_log_i0e_slope(gb_node kappa);

GB_END_DECLS
#endif
