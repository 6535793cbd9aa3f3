/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes and weights of Gauss–Hermite quadrature. */
#ifndef GREBE_ESTIMATORS_HERMITE_H
#define GREBE_ESTIMATORS_HERMITE_H

#include "../core/tape.h"

GB_BEGIN_DECLS

enum { GB_HERMITE_MOST = 256 };

/* For a standard normal: `count` nodes in ascending order, and weights with the sum 1, so that Σ weight p(node) = E[p] for
 * polynomials of a degree below 2 count. False, and nothing done, for a count that is not from 1 to GB_HERMITE_MOST. */
GB_API bool gb_hermite_rule(int count, double *node, double *weight);

GB_END_DECLS
#endif
