/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Special functions of probability, elementwise. Arguments are real and broadcast against each other. Outside
 * the domain (a negative shape, for example) and for NaN the value is NaN. If an argument is not usable, the
 * result is inert and the tape has the error. Accuracies are in units of ε = 2.2e-16, relative to the value
 * f, on double tapes. The factor 1 + |log f| comes from the rounding of an exponent.
 *
 * Derivatives in x are densities, and have derivatives again. Derivatives in a shape have no derivative in
 * the shape: a second gradient is an error that names the function. */
#ifndef GREBE_OPS_SPECIAL_H
#define GREBE_OPS_SPECIAL_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* ---- gamma ---- */

/* P(a, x) = ∫_0^x t^(a−1) e^−t dt / Γ(a), the CDF of Gamma(a, 1), and Q = 1 − P, for a ≥ 0, x ≥ 0. Each is
 * accurate where it is small: 20 ε (1 + |log f|) for 1e-10 ≤ a ≤ 1e8. */
GB_API gb_node gb_gamma_p(gb_node a, gb_node x);
GB_API gb_node gb_gamma_q(gb_node a, gb_node x);
/* x^(a−1) e^−x / Γ(a). */
GB_API gb_node gb_gamma_density(gb_node a, gb_node x);
/* ∂P/∂a, within 2e-12. It has a derivative in x only. */
GB_API gb_node gb_gamma_p_slope(gb_node a, gb_node x);
/* The quantile: the x with P(a, x) = p. An x below 5e-324 is 0. */
GB_API gb_node gb_gamma_p_inverse(gb_node a, gb_node p);
/* The x with Q(a, x) = q. Accurate to all digits where q is small. */
GB_API gb_node gb_gamma_q_inverse(gb_node a, gb_node q);
/* d log x / da of a draw x of Gamma(a, 1) at constant rank P(a, x): −∂P/∂a / (x density) (Figurnov, Mohamed &
 * Mnih 2018). The argument is log x, since x may underflow. Finite and positive, within 2e-12 for
 * 1e-5 ≤ a ≤ 1e6. It has no derivative. */
GB_API gb_node gb_gamma_draw_slope(gb_node a, gb_node log_x);

/* dm/da of m = log x − gb_gamma_log_unit(a) of such a draw, which for a > 4 is less by 1/a, without
 * cancellation: within 1e-12 of itself for a > 16, and of 1/a below. It has no derivative. */
GB_API gb_node gb_scaled_log_gamma_slope(gb_node a, gb_node m);

/* ---- beta ---- */

/* I_x(a, b) = ∫_0^x t^(a−1) (1−t)^(b−1) dt / B(a, b), the CDF of Beta(a, b), for a, b ≥ 0, 0 ≤ x ≤ 1.
 * 1 − I is also gb_beta_i(b, a, 1 − x): the one of these whose argument is small has more digits. Each is
 * accurate where it is small: 10 ε (1 + |log f|) for a, b ≤ 1e6. */
GB_API gb_node gb_beta_i(gb_node a, gb_node b, gb_node x);
GB_API gb_node gb_beta_i_upper(gb_node a, gb_node b, gb_node x); /* 1 − I_x(a, b) */
/* x^(a−1) (1−x)^(b−1) / B(a, b). */
GB_API gb_node gb_beta_density(gb_node a, gb_node b, gb_node x);
/* ∂I/∂a and ∂I/∂b, within 100 ε (1 + |log f|). They have derivatives in x only. */
GB_API gb_node gb_beta_i_slope_a(gb_node a, gb_node b, gb_node x);
GB_API gb_node gb_beta_i_slope_b(gb_node a, gb_node b, gb_node x);
/* The quantile: the x with I_x(a, b) = p. A quantile near 1 is more accurate as 1 minus the quantile of 1 − p
 * with a and b exchanged. */
GB_API gb_node gb_beta_i_inverse(gb_node a, gb_node b, gb_node p);
/* The x with 1 − I_x(a, b) = q. Accurate to all digits where x is small, and where q is. */
GB_API gb_node gb_beta_i_upper_inverse(gb_node a, gb_node b, gb_node q);
/* dx/da and dx/db at a constant I: −∂I/∂a / density. They have no derivatives. */
GB_API gb_node gb_beta_draw_slope_a(gb_node a, gb_node b, gb_node x);
GB_API gb_node gb_beta_draw_slope_b(gb_node a, gb_node b, gb_node x);
/* The same for the log odds l = log(x / (1 − x)), which are exact where x is near 0 or 1: dl/da and dl/db. */
GB_API gb_node gb_beta_log_odds_slope_a(gb_node a, gb_node b, gb_node log_odds);
GB_API gb_node gb_beta_log_odds_slope_b(gb_node a, gb_node b, gb_node log_odds);
/* dn/da and dn/db of n = l − log(a / b) if a and b are large (gb_gamma_is_large), else n = l. */
GB_API gb_node gb_beta_scaled_slope_a(gb_node a, gb_node b, gb_node n);
GB_API gb_node gb_beta_scaled_slope_b(gb_node a, gb_node b, gb_node n);
/* dz/d df of a draw z of Student's t with location 0 and scale 1 at a constant rank, with errors of some
 * 10 ε (1 + df), and at most 1e-9. It has no derivative. */
GB_API gb_node gb_student_t_draw_slope(gb_node df, gb_node z);

/* ---- log Γ and its derivatives ---- */

/* log B(a, b) = log Γ(a) + log Γ(b) − log Γ(a + b) for a, b ≥ 0. Without cancellation, however much a and b
 * differ. */
GB_API gb_node gb_lbeta(gb_node a, gb_node b);
/* ψ(a + b) − ψ(a) for a > 0, a + b > 0, without cancellation. */
GB_API gb_node gb_digamma_difference(gb_node a, gb_node b);
/* ψ(x) − ψ(y), and the same of ψ − log, for x, y > 0, without cancellation, however near or far apart x and y
 * are. */
GB_API gb_node gb_digamma_gap(gb_node x, gb_node y);
GB_API gb_node gb_digamma_rest_gap(gb_node x, gb_node y);
/* The n-th derivative of digamma at x > 0, for 0 ≤ n ≤ 100 (another n is an error). n = 1 is trigamma. NaN
 * for x < 0. */
GB_API gb_node gb_polygamma(int n, gb_node x);
/* The difference of the n-th derivatives of digamma at a + b and a, for the same n; otherwise as
 * gb_digamma_difference, which is faster for n = 0. */
GB_API gb_node gb_polygamma_difference(int n, gb_node a, gb_node b);
/* The n-th derivative of log Γ(x + ½) − log Γ(x) − ½ log x for x > 0 and the same n, without cancellation.
 * For n = 0 it is near −1/8x for large x. */
GB_API gb_node gb_log_gamma_step_rest(int n, gb_node x);

/* ---- differences without cancellation ----
 *
 * With D(r) = r − 1 − log r ≥ 0 and log Γ(a) = a log a − a + φ(a) (Stirling), the log density of a gamma draw
 * is a deviance plus a small rest (Loader 2000). A divergence is a sum of deviances (gb_deviance) and of
 * Bregman divergences
 *
 *     B_f(c, a) = f(c) − f(a) − (c − a) f'(a)
 *
 * of the convex functions log Γ and φ. No term of these sums is negative, so no term is large where the sum
 * is small. Values and first derivatives have relative errors of some 10 ε, for arguments from 1e-300 to
 * 1e300 (a derivative near its zero at c = a too). Further derivatives have absolute errors of that size. */

/* e^w − 1 − w. */
GB_API gb_node gb_exp_excess(gb_node w);
/* log a − ψ(a) for a > 0. */
GB_API gb_node gb_log_less_digamma(gb_node a);
/* log(r^a e^−r / Γ(a)) for a > 0, r ≥ 0: the log density of log x at x = r, for x from Gamma(a, 1). */
GB_API gb_node gb_log_gamma_kernel(gb_node a, gb_node r);
/* B_f(c, a) for log Γ, and for φ; a, c > 0. */
GB_API gb_node gb_log_gamma_bregman(gb_node c, gb_node a);
GB_API gb_node gb_stirling_bregman(gb_node c, gb_node a);

/* ---- von Mises ---- */

/* e^−|x| I₀(x) and e^−|x| I₁(x). The derivative of the first is 0 at 0. First derivatives have relative
 * errors below 200 units in the last place; so have second ones, but for |x| < 1 of their largest term. */
GB_API gb_node gb_i0e(gb_node x);
GB_API gb_node gb_i1e(gb_node x);
/* The CDF of the density e^(κ cos x) / 2π I0(κ) on [−π, π], for κ ≥ 0; 0 below, 1 above. Accurate to 10 ε
 * (1 + |log f|) for κ ≤ 1e8. It has a first derivative only. */
GB_API gb_node gb_von_mises_cdf(gb_node kappa, gb_node x);
/* The density, and the derivative of the CDF in κ. They have no derivatives. */
GB_API gb_node gb_von_mises_density(gb_node kappa, gb_node x);
GB_API gb_node gb_von_mises_cdf_slope(gb_node kappa, gb_node x);
/* dx/dκ of a draw x at constant rank: −∂F/∂κ / density, accurate in the tails too. It has no derivative. */
GB_API gb_node gb_von_mises_draw_slope(gb_node kappa, gb_node x);
/* 1 − I1(κ)/I0(κ) = E[1 − cos x], and its first two derivatives, within some ε. For κ < 1 this is the second
 * derivative's absolute error. The second derivative has no derivative. */
GB_API gb_node gb_von_mises_spread(gb_node kappa);
GB_API gb_node gb_von_mises_spread_slope(gb_node kappa);
GB_API gb_node gb_von_mises_spread_curve(gb_node kappa);
/* B_f(c, a) (see above) for f = log I0; c, a ≥ 0. The relative error is some 100 ε; the derivative in c
 * has an absolute error of ε. */
GB_API gb_node gb_von_mises_bregman(gb_node c, gb_node a);

/* ---- Kumaraswamy ---- */

/* −E[log(1 − x)] ≥ 0 for x from Kumaraswamy(a, b). The relative error is within 1e-14 (1 + |log f|) for a,
 * b ≥ 0.01, and 1e-12 for a, b ≥ 0.001. It has a first derivative only. */
GB_API gb_node gb_kumaraswamy_log_rest(gb_node a, gb_node b);
/* Its derivatives in a and b, as accurate for a, b ≥ 0.01. They have no derivatives. */
GB_API gb_node gb_kumaraswamy_log_rest_slope_a(gb_node a, gb_node b);
GB_API gb_node gb_kumaraswamy_log_rest_slope_b(gb_node a, gb_node b);

GB_END_DECLS
#endif
