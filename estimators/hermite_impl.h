/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_ESTIMATORS_HERMITE_IMPL_H
#define GREBE_ESTIMATORS_HERMITE_IMPL_H

enum { GB_HERMITE_MOST = 256 };

/* Gauss–Hermite quadrature for a standard normal: `count` nodes in ascending order, and weights with the sum 1, so that
 * Σ weight p(node) = E[p] for polynomials of a degree below 2 count. At most GB_HERMITE_MOST. */
void gb_hermite_rule(int count, double *node, double *weight);

#endif
