/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The von Mises distribution, as functions of numbers. */
#ifndef GREBE_OPS_SPECIAL_VON_MISES_IMPL_H
#define GREBE_OPS_SPECIAL_VON_MISES_IMPL_H

double gb_von_mises_cdf_at(double kappa, double x);
double gb_von_mises_density_at(double kappa, double x);
double gb_von_mises_cdf_slope_at(double kappa, double x);  /* ∂F/∂κ */
double gb_von_mises_draw_slope_at(double kappa, double x); /* −∂F/∂κ / density */
/* With v = 1 − cos t: E[v] = 1 − I1(κ)/I0(κ), its derivative −Var[v], and the derivative of that, the third
 * cumulant. Relative errors are some ε; for κ < 1 this is the third one's absolute error. */
double gb_von_mises_spread_at(double kappa);
double gb_von_mises_spread_slope_at(double kappa);
double gb_von_mises_spread_curve_at(double kappa);
/* log I0(c) − log I0(a) − (c − a) I1(a)/I0(a). */
double gb_von_mises_bregman_at(double c, double a);

#endif
