/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Special functions of numbers. All take any arguments: outside of the domain (negative shapes, NaN) they give NaN,
 * and no loop runs on. ε is DBL_EPSILON; "relative error n ε (1 + |log f|)" says that an exponent was rounded. */
#ifndef GREBE_OPS_SPECIAL_SPECIAL_IMPL_H
#define GREBE_OPS_SPECIAL_SPECIAL_IMPL_H

#include <stdbool.h>

/* ---- what the others are built of (ops/special/log_gamma.c) ---- */

/* Γ(a) / (√(2π/a) (a/e)^a), for a > 0: near 1 + 1/12a for large a. */
double gb_stirling_factor_at(double a);
/* r − 1 − log r, without cancellation, from r and r − 1. */
double gb_deviance_at(double ratio, double less_one);
/* log(a / b) for a, b > 0, accurate near 0 too; the quotient may overflow. */
double gb_log_quotient_at(double a, double b);
/* log a − ψ(a), and ψ(a), for a > 0; the second with an absolute error of some ε. */
double gb_log_less_digamma_at(double a);
double gb_digamma_at(double a);
/* ψ(a + b) − ψ(a) and log Γ(a + b) − log Γ(a) for a > 0, b ≥ 0: they do not cancel, however small b is. */
double gb_digamma_difference_at(double a, double b);
double gb_log_gamma_ratio_at(double a, double b);
/* log B(a, b) for a, b > 0. */
double gb_lbeta_at(double a, double b);
/* The n-th derivative of ψ at x > 0; NaN for x < 0 and for n that is no integer from 0 to 100. */
double gb_polygamma_at(double n, double x);

/* ---- what is left where much cancels (ops/special/bregman.c) ---- */

double gb_exp_excess_at(double w);
double gb_log_gamma_kernel_at(double a, double r);
double gb_log_gamma_bregman_at(double c, double a);
double gb_stirling_bregman_at(double c, double a);

/* ---- incomplete gamma functions (ops/special/gamma.c) ---- */

double gb_gamma_p_at(double a, double x);
double gb_gamma_q_at(double a, double x);
double gb_gamma_density_at(double a, double x);
double gb_gamma_p_slope_at(double a, double x);        /* ∂P/∂a */
double gb_gamma_draw_slope_at(double a, double log_x); /* −∂P/∂a / (x density) */
double gb_gamma_p_inverse_at(double a, double p);
double gb_gamma_q_inverse_at(double a, double q);

/* ---- incomplete beta function (ops/special/beta.c) ---- */

double gb_beta_i_at(double a, double b, double x);
double gb_beta_density_at(double a, double b, double x);
double gb_beta_i_slope_a_at(double a, double b, double x); /* ∂I/∂a */
double gb_beta_i_slope_b_at(double a, double b, double x);
double gb_beta_draw_slope_a_at(double a, double b, double x); /* −∂I/∂a / density */
double gb_beta_draw_slope_b_at(double a, double b, double x);
double gb_beta_i_inverse_at(double a, double b, double p);

/* ---- the von Mises distribution (ops/special/von_mises.c) ---- */

double gb_von_mises_cdf_at(double kappa, double x);
double gb_von_mises_density_at(double kappa, double x);
double gb_von_mises_cdf_slope_at(double kappa, double x);  /* ∂F/∂κ */
double gb_von_mises_draw_slope_at(double kappa, double x); /* −∂F/∂κ / density */
/* 1 − E[cos t] = 1 − I1(κ)/I0(κ), and its derivative −Var[cos t], within some ε of themselves. */
double gb_von_mises_spread_at(double kappa);
double gb_von_mises_spread_slope_at(double kappa);

/* ---- the Kumaraswamy distribution (ops/special/kumaraswamy.c) ---- */

double gb_kumaraswamy_log_rest_at(double a, double b);
double gb_kumaraswamy_log_rest_slope_a_at(double a, double b); /* its derivatives */
double gb_kumaraswamy_log_rest_slope_b_at(double a, double b);

#endif
