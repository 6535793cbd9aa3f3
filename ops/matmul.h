/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of matrices and vectors, by NumPy's rules for matmul.
 *
 * Shapes are those for one draw and one datum. Hidden axes (samples, rows) repeat the product, and
 * derivatives sum over them. So the adjoint of weights that all rows share is one matrix product, not one
 * outer product for each row. If an argument is not usable or does not fit, the result is inert and the tape
 * has the error. OpenBLAS computes large products (see blas.h); planning fails if it cannot be loaded. */
#ifndef GREBE_OPS_MATMUL_H
#define GREBE_OPS_MATMUL_H

#include "../core/gradient.h"
#include "../core/op.h"
#include "../core/options.h"

GB_BEGIN_DECLS

typedef struct gb_matmul_options {
    size_t size;
    bool transpose_a; /* swap the last two axes of a first; a vector stays as it is */
    bool transpose_b;
    gb_axes sum_over; /* hidden axes of both arguments, over which the products are summed */
} gb_matmul_options;

/* (…, m, k) · (…, k, n) = (…, m, n), where the leading axes broadcast. A vector on the left is a row, a
 * vector on the right a column, and the result lacks that axis: (k) · (k, n) = (n), (m, k) · (k) = (m),
 * (k) · (k) = (). aᵀ · b is gb_matmul(a, b, .transpose_a = true). */
#define gb_matmul(...) GB_CALL_2(gb_matmul, __VA_ARGS__, .size = sizeof(gb_matmul_options))
GB_API gb_node gb_matmul_with(gb_node a, gb_node b, const gb_matmul_options *options);

/* Σ a b of two vectors: (k), (k) to (). */
GB_API gb_node gb_dot(gb_node a, gb_node b);

/* x · w + b: (…, k), (k, n), (n) to (…, n). */
GB_API gb_node gb_affine(gb_node x, gb_node w, gb_node b);

/* The operations, for code that walks a graph. */
GB_API extern const gb_op gb_matmul_op, gb_dot_op, gb_affine_op;

GB_END_DECLS
#endif
