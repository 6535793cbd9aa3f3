/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cholesky factors, and what is computed with them. A matrix is the last two axes; axes before them, and hidden
 * axes, repeat what is done to it. Sums are in double, on float tapes too. As with matrix products, an adjoint of
 * exactly 0 against an infinite value gives NaN. Each function returns an inert node on error. */
#ifndef GREBE_OPS_LINEAR_H
#define GREBE_OPS_LINEAR_H

#include "../core/gradient.h"
#include "../core/op.h"
#include "../core/options.h"

GB_BEGIN_DECLS

/* The lower triangular L with L Lᵀ = a and a positive diagonal, of symmetric positive definite matrices (…, n, n).
 * Only the lower triangle of a is read; L is exactly 0 above the diagonal. Where a is not positive definite, all of L
 * is NaN, and a run that needs it is refused.
 *
 * The gradient is symmetric, of two elements that mirror each other each has half: it is right for changes that keep
 * a symmetric, so wherever a is made by operations that make symmetric matrices (m mᵀ + I, a kernel of distances).
 * Of an a that is itself a variable, what is above the diagonal of the gradient and what is below, added up, is the
 * derivative with respect to the lower triangle. */
GB_API gb_node gb_cholesky(gb_node a);

typedef struct gb_triangular_solve_options {
    size_t size;
    bool transpose; /* lᵀ x = b */
    bool upper;     /* l is upper triangular (before it is transposed) */
} gb_triangular_solve_options, gb_triangular_solve_vector_options;

/* x with l x = b, for triangular l (…, n, n) and b (…, n, k); leading axes broadcast. Only the triangle that l has is
 * read, and the gradient is 0 in the other one. Of a singular l, ±∞ or NaN.
 * gb_triangular_solve(l, b, .transpose = true) has lᵀ x = b. */
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

/* xᵀ (l lᵀ)⁻¹ x of vectors x (…, n) and lower triangular l (…, n, n): |l⁻¹ x|². */
GB_API gb_node gb_quadratic_form(gb_node l, gb_node x);

GB_END_DECLS
#endif
