/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control of gradients: nodes with the value of one expression and the gradient of another. None of these
 * operations costs anything in a run. Each function returns an inert node on error. */
#ifndef GREBE_OPS_CONTROL_H
#define GREBE_OPS_CONTROL_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Returns x with no gradient. */
GB_API gb_node gb_stop(gb_node x);

/* Returns the value of x, with the gradient of x plus Σ a · ∂l over the elements of l. `a` gets no gradient
 * through the value, but stays live in the gradient: a second gradient reaches what a depends on. The shapes
 * of x and a broadcast with that of l. */
GB_API gb_node gb_inject(gb_node x, gb_node l, gb_node a);

/* Like gb_inject, for l = log q, the log density of the draw that x depends on. The gradient carries the
 * score of l on, so gradients of every order are those of E[x] (Foerster et al. 2018). */
GB_API gb_node gb_inject_score(gb_node x, gb_node l, gb_node a);

/* Returns x and asserts that it is continuous in all that it depends on, although it contains comparisons.
 * Estimators that differentiate costs reject costs that jump. After gb_continuous_in they still check the
 * `inputs`, at most 24. */
GB_API gb_node gb_continuous(gb_node x);
GB_API gb_node gb_continuous_in(gb_node x, size_t count, const gb_node *inputs);

/* Returns a log density whose support moves with some of its parameters. The `inputs` are its value, then
 * what the support moves with. Estimators check log_p itself, and reject a cost in which the support moves
 * while the value does not: it jumps there. */
GB_API gb_node gb_moving_support(gb_node log_p, size_t count, const gb_node *inputs);

/* Returns x, marked as relaxed: gb_log_prob of a discrete distribution then evaluates its formula between the
 * distribution's values too. gb_is_relaxed returns whether x has the mark, also if views lie between. */
GB_API gb_node gb_relaxed(gb_node x);
GB_API bool gb_is_relaxed(gb_node x);

/* Returns 0 with the gradient of l. */
GB_API gb_node gb_gradient_only(gb_node l);

/* Returns `value` with the derivative of a custom `op`. `op` is a GB_FORM_ALIAS whose arguments are the value
 * and `count` inputs; its vjp sets the adjoints of the inputs (its arguments 1 … count). */
GB_API gb_node gb_with_vjp(const gb_op *op, gb_node value, size_t count, const gb_node *inputs,
                           const void *attributes, size_t attribute_bytes);

/* For estimators. A draw is open until an expectation closes it; gb_grad rejects a node that depends on an
 * open draw. gb_open_draw marks x as a draw, gb_close_draws marks it as an expectation. */
GB_API gb_node gb_open_draw(gb_node x);
GB_API gb_node gb_close_draws(gb_node x);

/* The vjp of an operation whose value is its first argument: it passes the adjoint on. */
GB_API void gb_vjp_pass(const gb_vjp *v);

/* For code that walks a graph and must know where gradients are stopped or injected, and which nodes are
 * marked. */
GB_API extern const gb_op gb_stop_op, gb_inject_op, gb_inject_score_op, gb_continuous_op,
    gb_moving_support_op, gb_relaxed_op;

GB_END_DECLS
#endif
