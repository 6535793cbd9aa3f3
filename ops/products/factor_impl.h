/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors and triangular systems of one matrix, n × n row by row, in double. Four rows are computed at a
 * time, so that each row that is subtracted from them is read once. */
#ifndef GREBE_OPS_PRODUCTS_FACTOR_IMPL_H
#define GREBE_OPS_PRODUCTS_FACTOR_IMPL_H

#include "core/kernels/block_impl.h"

/* to[r][i] −= Σ_k coefficient[r][k] · from[k][i], for i < width. No row is in both. */
typedef struct gb_subtraction {
    double *to;
    int64_t to_step, rows, width;
    const double *coefficient; /* of row r and term k: at r · of_row + k · of_term */
    int64_t of_row, of_term, terms;
    const double *from;
    int64_t from_step;
} gb_subtraction;

typedef void gb_subtract_kernel(const gb_subtraction *s);
#define GB_SUBTRACT_DECLARE(isa, name) gb_subtract_kernel gb_##name##_##isa##_64;
GB_EACH_ISA(GB_SUBTRACT_DECLARE, subtract)

/* Returns the kernel for an instruction set. */
gb_subtract_kernel *gb_subtract_of(gb_isa isa);

/* Which triangle of a matrix is meant, and whether it is transposed then. These are attributes, compared as
 * bytes, so there is no padding. */
typedef struct gb_triangle {
    int32_t transpose, upper;
} gb_triangle;

/* Replaces the upper triangle of u by U with Uᵀ U = u. Below the diagonal numbers change. Returns false if a
 * pivot is not positive and finite. */
bool gb_triangle_factor(gb_subtract_kernel *subtract, double *u, int64_t n);

/* With U of gb_triangle_factor, and the adjoint of U in the upper triangle of m: replaces m by twice the
 * adjoint of Uᵀ U, which is symmetric. */
void gb_triangle_factor_adjoint(gb_subtract_kernel *subtract, const double *u, double *m, int64_t n);

/* Replaces x, n rows of `width` numbers, by the solution of T x' = x. */
void gb_triangle_solve(gb_subtract_kernel *subtract, const gb_triangle *triangle, const double *l, double *x,
                       int64_t n, int64_t width);

#endif
