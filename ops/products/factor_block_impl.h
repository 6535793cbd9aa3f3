/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of factor_impl.h for blocks of a matrix, n × n, whose rows begin `step` numbers apart. */
#ifndef GREBE_OPS_PRODUCTS_FACTOR_BLOCK_IMPL_H
#define GREBE_OPS_PRODUCTS_FACTOR_BLOCK_IMPL_H

#include "ops/products/subtract_impl.h"

/* Which triangle of a matrix is meant, and whether it is transposed then. These are attributes, compared as
 * bytes, so there is no padding. */
typedef struct gb_triangle {
    int32_t transpose, upper;
} gb_triangle;

/* Element i, j of a lower triangular matrix is at at[i · row + j · column]. An upper triangular one is lower
 * if it begins with its last element. */
typedef struct gb_lower {
    const double *at;
    int64_t row, column;
} gb_lower;

/* Returns that of gb_triangle_solve, n × n with rows `step` apart. Where `upper` is transposed, or a lower
 * one is not, equations begin with the first, else with the last. */
gb_lower gb_lower_of(const gb_triangle *triangle, const double *l, int64_t step, int64_t n);

bool gb_block_factor(gb_subtract_kernel *subtract, double *u, int64_t step, int64_t n);

void gb_block_adjoint(gb_subtract_kernel *subtract, const double *u, double *m, int64_t step, int64_t n);

/* Row i of x is at i · x_step, which is negative if the first equation is the last row. */
void gb_block_solve(gb_subtract_kernel *subtract, gb_lower l, double *x, int64_t x_step, int64_t n,
                    int64_t width);

#endif
