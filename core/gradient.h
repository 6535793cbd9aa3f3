/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient is more tape: walking back appends the adjoint operations, so a gradient is a node like any other
 * and has a gradient itself.
 *
 * In a chain-rule product an incoming adjoint of exactly zero gives zero, even against an infinite derivative; but for
 * matrix products, whose sums are BLAS', where 0 · ∞ is NaN. */
#ifndef GREBE_CORE_GRADIENT_H
#define GREBE_CORE_GRADIENT_H

#include "tape.h"

GB_BEGIN_DECLS

/* d y / d x, with the shape and the hidden axes of x; zeros (without hidden axes) where y does not depend on x. y must be a real scalar without hidden axes: an error names what is in the way (sum or average
 * it first), and a draw that no expectation has closed is refused. x may be any node but a constant, which may have
 * been simplified away. */
GB_API gb_node gb_grad(gb_node y, gb_node x);

/* The same for `count` nodes in one walk. On error all of `gradients` are inert. */
GB_API gb_status gb_grads(gb_node y, const gb_node *x, size_t count, gb_node *gradients);

GB_END_DECLS
#endif
