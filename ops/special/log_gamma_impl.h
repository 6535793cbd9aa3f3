/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log Γ, ψ and their parts, as functions of numbers. The other special functions use them. */
#ifndef GREBE_OPS_SPECIAL_LOG_GAMMA_IMPL_H
#define GREBE_OPS_SPECIAL_LOG_GAMMA_IMPL_H

/* Γ(a) / (√(2π/a) (a/e)^a), for a > 0: near 1 + 1/12a for large a. */
double gb_stirling_factor_at(double a);
/* r − 1 − log r, without cancellation, from r and r − 1. */
double gb_deviance_at(double ratio, double less_one);
/* log(a / b) for a, b > 0, accurate near 0 too; the quotient may overflow. */
double gb_log_quotient_at(double a, double b);
/* log a − ψ(a), and ψ(a), for a > 0; the second with an absolute error of some ε. */
double gb_log_less_digamma_at(double a);
double gb_digamma_at(double a);
/* ψ(a + b) − ψ(a) for a, a + b > 0 and log Γ(a + b) − log Γ(a) for a > 0, b ≥ 0, without cancellation for
 * any b. */
double gb_digamma_difference_at(double a, double b);
double gb_log_gamma_ratio_at(double a, double b);
/* ψ(x) − ψ(y), and the same of ψ − log, for x, y > 0. */
double gb_digamma_gap_at(double x, double y);
double gb_digamma_rest_gap_at(double x, double y);
/* log B(a, b) for a, b > 0. */
double gb_lbeta_at(double a, double b);
/* The n-th derivative of ψ at x > 0; NaN for x < 0 and if n is not an integer from 0 to 100. */
double gb_polygamma_at(double n, double x);
/* Without cancellation, for the same n: the n-th derivative of ψ(x) − log x, for n > 0; the difference of the
 * n-th derivatives of ψ at a + b and a, for a, a + b > 0; and the n-th derivative of log Γ(x + ½) − log Γ(x)
 * − ½ log x. */
double gb_polygamma_rest_at(double n, double x);
double gb_polygamma_difference_at(double n, double a, double b);
double gb_log_gamma_step_rest_at(double n, double x);

#endif
