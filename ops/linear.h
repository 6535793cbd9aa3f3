/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cholesky factors, and operations that use them. A matrix is the last two axes; axes before them, and hidden
 * axes, repeat the operation. Sums are in double, on float tapes too. As with matrix products, an adjoint of
 * exactly 0 times an infinite value gives NaN. Each function returns an inert node on error. */
#ifndef GREBE_OPS_LINEAR_H
#define GREBE_OPS_LINEAR_H

#include "../core/gradient.h"
#include "../core/op.h"
#include "../core/options.h"

GB_BEGIN_DECLS

/* Returns the lower triangular L with L Lᵀ = a and a positive diagonal, for symmetric positive definite a
 * (…, n, n). Only the lower triangle of a is read; L is exactly 0 above the diagonal. If a is not positive
 * definite, all of L is NaN, as a logarithm of −1 is: a run with assigns fails, and names this operation, if
 * the NaN reaches a root or an assign. A program without assigns returns it.
 *
 * The gradient is symmetric: two elements that mirror each other get half of the derivative each. That is
 * right for changes that keep a symmetric, so wherever symmetric operations make a
 * (m mᵀ + I, a kernel of distances). If a itself is a variable, add the gradient above the diagonal to that
 * below: the sum is the derivative with respect to the lower triangle. */
GB_API gb_node gb_cholesky(gb_node a);

/* Returns that gradient in a: of what has the gradient `gradient` (…, n, n) in L = gb_cholesky(a), of the
 * same shape. Only lower triangles are read. It costs twice as much as L. */
GB_API gb_node gb_cholesky_adjoint(gb_node l, gb_node gradient);

typedef struct gb_triangular_solve_options {
    size_t size;
    bool transpose; /* lᵀ x = b */
    bool upper;     /* l is upper triangular (before it is transposed) */
} gb_triangular_solve_options, gb_triangular_solve_vector_options;

/* Solves l x = b for triangular l (…, n, n) and b (…, n, k); leading axes broadcast. Only the given triangle
 * of l is read, and the gradient is 0 in the other one. A singular l gives ±∞ or NaN.
 * gb_triangular_solve(l, b, .transpose = true) solves lᵀ x = b. */
#define gb_triangular_solve(...)                                                                             \
    GB_CALL_2(gb_triangular_solve, __VA_ARGS__, .size = sizeof(gb_triangular_solve_options))
GB_API gb_node gb_triangular_solve_with(gb_node l, gb_node b, const gb_triangular_solve_options *options);

/* The same for vectors b (…, n). */
#define gb_triangular_solve_vector(...)                                                                      \
    GB_CALL_2(gb_triangular_solve_vector, __VA_ARGS__, .size = sizeof(gb_triangular_solve_vector_options))
GB_API gb_node gb_triangular_solve_vector_with(gb_node l, gb_node b,
                                               const gb_triangular_solve_vector_options *options);

/* log |det l| of triangular matrices (…, n, n), lower or upper: Σ log |l_ii|. */
GB_API gb_node gb_triangular_log_det(gb_node l);

/* log det a of symmetric positive definite matrices (…, n, n), by gb_cholesky. */
GB_API gb_node gb_log_det(gb_node a);

/* xᵀ (l lᵀ)⁻¹ x = |l⁻¹ x|², for vectors x (…, n) and lower triangular l (…, n, n). */
GB_API gb_node gb_quadratic_form(gb_node l, gb_node x);

GB_END_DECLS
#endif
