/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors and triangular systems of one matrix, in double. All of them subtract products of matrices from
 * what is given: first for blocks of rows, which threads share by columns, and then within a block, four rows
 * at a time. Where columns are cut depends on sizes alone, so the number of threads changes no bit. */
#ifndef GREBE_OPS_PRODUCTS_FACTOR_IMPL_H
#define GREBE_OPS_PRODUCTS_FACTOR_IMPL_H

#include "core/kernel.h"
#include "ops/products/factor_block_impl.h"

/* What a computation works with. */
typedef struct gb_factoring {
    gb_subtract_kernel *subtract;
    gb_workers *workers; /* or NULL */
} gb_factoring;

/* Matrices are n × n, row by row. */

/* Replaces the upper triangle of u by U with Uᵀ U = u. Below the diagonal numbers change. Returns false if a
 * pivot is not positive and finite. */
bool gb_triangle_factor(const gb_factoring *by, double *u, int64_t n);

/* With U of gb_triangle_factor, and the adjoint of U in the upper triangle of m: replaces m by twice the
 * adjoint of Uᵀ U, which is symmetric. */
void gb_triangle_factor_adjoint(const gb_factoring *by, const double *u, double *m, int64_t n);

/* Replaces x, n rows of `width` numbers, by the solution of T x' = x. */
void gb_triangle_solve(const gb_factoring *by, const gb_triangle *triangle, const double *l, double *x,
                       int64_t n, int64_t width);

#endif
