/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors and triangular systems of one matrix, in double. All of them subtract products of matrices from
 * what is given: first for blocks of rows, which threads share by columns, and then within a block, four rows
 * at a time. Where columns are cut depends on sizes alone, so the number of threads changes no bit. */
#ifndef GREBE_OPS_PRODUCTS_FACTOR_IMPL_H
#define GREBE_OPS_PRODUCTS_FACTOR_IMPL_H

#include "core/kernel.h"
#include "core/kernels/block_impl.h"

/* to[r][i] −= Σ_k coefficient[r][k] · from[k][i], for i < width. No row is in both. Steps may be negative.
 * With a triangle T, at most four rows are replaced by the solution of T x = to afterwards: only its part up to
 * the diagonal is read. */
typedef struct gb_subtraction {
    double *to;
    int64_t to_step, rows, width;
    const double *coefficient; /* of row r and term k: at r · of_row + k · of_term */
    int64_t of_row, of_term, terms;
    const double *from;
    int64_t from_step;
    const double *triangle; /* NULL: none. Of rows r and q: at r · of_row + q · of_term */
} gb_subtraction;

typedef void gb_subtract_kernel(const gb_subtraction *s);
#define GB_SUBTRACT_DECLARE(isa, name) gb_subtract_kernel gb_##name##_##isa##_64;
GB_EACH_ISA(GB_SUBTRACT_DECLARE, subtract)

/* Returns the kernel for an instruction set. */
gb_subtract_kernel *gb_subtract_of(gb_isa isa);

/* What a computation works with. */
typedef struct gb_factoring {
    gb_subtract_kernel *subtract;
    gb_workers *workers; /* or NULL */
} gb_factoring;

/* Which triangle of a matrix is meant, and whether it is transposed then. These are attributes, compared as
 * bytes, so there is no padding. */
typedef struct gb_triangle {
    int32_t transpose, upper;
} gb_triangle;

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
