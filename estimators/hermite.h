/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes and weights of Gauss–Hermite quadrature. */
#ifndef GREBE_ESTIMATORS_HERMITE_H
#define GREBE_ESTIMATORS_HERMITE_H

#include "../core/tape.h"

GB_BEGIN_DECLS

enum { GB_HERMITE_MOST = 256 };

/* Writes `count` nodes, in ascending order, and weights that sum to 1, for a standard normal: Σ weight
 * p(node) = E[p] for polynomials p of degree below 2 count. Returns false and writes nothing unless 1 ≤ count
 * ≤ GB_HERMITE_MOST. */
GB_API bool gb_hermite_rule(int count, double *node, double *weight);

GB_END_DECLS
#endif
