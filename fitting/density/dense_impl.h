/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small dense matrices, row by row, in plain C. */
#ifndef GREBE_FITTING_DENSITY_DENSE_IMPL_H
#define GREBE_FITTING_DENSITY_DENSE_IMPL_H

#include <stdbool.h>
#include <stddef.h>

/* Stores the lower L with L Lᵀ = A, and 0 above; `l` may be `a`. Returns false if A is not positive
 * definite. */
bool gb_dense_factor(size_t n, const double *a, double *l);

/* Stores (L Lᵀ)⁻¹, which is symmetric, from L. `room` has n × n numbers; `inverse` may be `l`. */
void gb_dense_inverse(size_t n, const double *l, double *inverse, double *room);

/* Solve L x = b, and Lᵀ x = b, in place. */
void gb_dense_solve(size_t n, const double *l, double *x);
void gb_dense_solve_transposed(size_t n, const double *l, double *x);

double gb_dense_dot(size_t n, const double *a, const double *b);

/* y += c x */
void gb_dense_add(size_t n, double c, const double *x, double *y);

/* The largest |x|; NaN if one is NaN. */
double gb_dense_largest(size_t n, const double *x);

#endif
