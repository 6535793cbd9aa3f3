/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incomplete gamma functions, of numbers. */
#ifndef GREBE_OPS_SPECIAL_GAMMA_IMPL_H
#define GREBE_OPS_SPECIAL_GAMMA_IMPL_H

double gb_gamma_p_at(double a, double x);
double gb_gamma_q_at(double a, double x);
double gb_gamma_density_at(double a, double x);
double gb_gamma_p_slope_at(double a, double x);        /* ∂P/∂a */
double gb_gamma_draw_slope_at(double a, double log_x); /* −∂P/∂a / (x density) */
double gb_scaled_log_gamma_slope_at(double a, double m);
double gb_gamma_p_inverse_at(double a, double p);
double gb_gamma_q_inverse_at(double a, double q);

#endif
