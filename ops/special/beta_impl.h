/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incomplete beta function, of numbers. */
#ifndef GREBE_OPS_SPECIAL_BETA_IMPL_H
#define GREBE_OPS_SPECIAL_BETA_IMPL_H

double gb_beta_i_at(double a, double b, double x);
double gb_beta_i_upper_at(double a, double b, double x); /* 1 − I */
double gb_beta_density_at(double a, double b, double x);
double gb_beta_i_slope_a_at(double a, double b, double x); /* ∂I/∂a */
double gb_beta_i_slope_b_at(double a, double b, double x);
double gb_beta_draw_slope_a_at(double a, double b, double x); /* −∂I/∂a / density */
double gb_beta_draw_slope_b_at(double a, double b, double x);
/* dl/da and dl/db of the log odds l of a draw, and dz/d df of a draw of Student's t, at a constant rank. */
double gb_beta_log_odds_slope_a_at(double a, double b, double l);
double gb_beta_log_odds_slope_b_at(double a, double b, double l);
double gb_beta_scaled_slope_a_at(double a, double b, double n);
double gb_beta_scaled_slope_b_at(double a, double b, double n);
double gb_student_t_draw_slope_at(double df, double z);
double gb_beta_i_inverse_at(double a, double b, double p);
double gb_beta_i_upper_inverse_at(double a, double b, double q);

#endif
