/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients. gb_grad walks back from y to x and records the adjoint operations. So a gradient is a node like
 * any other, and has a gradient itself.
 *
 * The zero rule: in a product of the chain rule an adjoint of exactly 0 gives 0, even times an infinite or
 * undefined derivative. Matrix products are the exception: BLAS computes their sums, so there 0 · ∞ is
 * NaN. */
#ifndef GREBE_CORE_GRADIENT_H
#define GREBE_CORE_GRADIENT_H

#include "tape.h"

GB_BEGIN_DECLS

/* Returns dy/dx, with the shape and the hidden axes of x. Where y does not depend on x, it is zero, without
 * hidden axes. y must be a real scalar without hidden axes: sum or average it first. Fails if y depends on a
 * draw that no expectation has closed. x may be any node but a constant: recording may have simplified
 * constants away. On error the result is inert. */
GB_API gb_node gb_grad(gb_node y, gb_node x);

/* The gradients of y with respect to `count` nodes, by one walk. On error all of `gradients` are inert. */
GB_API gb_status gb_grads(gb_node y, const gb_node *x, size_t count, gb_node *gradients);

/* For authors of operations: the gradients of Σ y[i] · adjoint[i], where y may have any shape and hidden
 * axes, and depend on open draws. A gradient is inert if no y depends on that x. */
GB_API gb_status gb_adjoints(size_t y_count, const gb_node *y, const gb_node *adjoint, size_t count,
                             const gb_node *x, gb_node *gradients);

GB_END_DECLS
#endif
