/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences without cancellation (see special.h), as functions of numbers. */
#ifndef GREBE_OPS_SPECIAL_BREGMAN_IMPL_H
#define GREBE_OPS_SPECIAL_BREGMAN_IMPL_H

double gb_exp_excess_at(double w);
double gb_log_gamma_kernel_at(double a, double r);
double gb_log_gamma_bregman_at(double c, double a);
double gb_stirling_bregman_at(double c, double a);

#endif
