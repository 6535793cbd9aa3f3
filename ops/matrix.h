/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of matrices, and matrices made of vectors. A matrix is the last two axes; axes before them repeat the
 * operation. Each function returns an inert node on error. */
#ifndef GREBE_OPS_MATRIX_H
#define GREBE_OPS_MATRIX_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* (…, m, n) to (…, n, m). */
GB_API gb_node gb_matrix_transpose(gb_node a);

/* (…, m), (…, n) to (…, m, n): element i, j is x_i · y_j. Leading axes broadcast. */
GB_API gb_node gb_outer(gb_node x, gb_node y);

/* gb_diagonal returns the diagonal of square matrices, (…, n, n) to (…, n). gb_diag returns the diagonal
 * matrix, (…, n) to (…, n, n). */
GB_API gb_node gb_diagonal(gb_node a);
GB_API gb_node gb_diag(gb_node x);

/* a where column − row ≤ k (gb_tril) or ≥ k (gb_triu), else 0. k = 0 keeps the diagonal; −1 (gb_tril) or 1
 * (gb_triu) removes it. Elements that are left out do not matter, even if NaN. */
GB_API gb_node gb_tril(gb_node a, int64_t k);
GB_API gb_node gb_triu(gb_node a, int64_t k);

GB_END_DECLS
#endif
