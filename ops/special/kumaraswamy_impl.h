/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Kumaraswamy distribution, as functions of numbers. */
#ifndef GREBE_OPS_SPECIAL_KUMARASWAMY_IMPL_H
#define GREBE_OPS_SPECIAL_KUMARASWAMY_IMPL_H

double gb_kumaraswamy_log_rest_at(double a, double b);
double gb_kumaraswamy_log_rest_slope_a_at(double a, double b); /* its derivatives */
double gb_kumaraswamy_log_rest_slope_b_at(double a, double b);

#endif
