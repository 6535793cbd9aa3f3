/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control of gradients: what has the value of something and the gradient of something else. None of these costs
 * anything in a run. */
#ifndef GREBE_OPS_CONTROL_H
#define GREBE_OPS_CONTROL_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* x, with no gradient. */
GB_API gb_node gb_stop(gb_node x);

/* The value of x, and the gradient of x plus Σ a · ∂l over the elements of l. a stays live in that gradient, so that a
 * gradient can be differentiated with respect to what a is made of; through the value it gets none. The shapes of x
 * and a broadcast with that of l. */
GB_API gb_node gb_inject(gb_node x, gb_node l, gb_node a);

/* The same for a logarithm l = log q of the density that the draw in x came from: its gradients of every order are
 * those of E[x], as the gradient in turn carries the score of l (Foerster et al. 2018). */
GB_API gb_node gb_inject_score(gb_node x, gb_node l, gb_node a);

/* x: your word that it is continuous in whatever it is made of, although there are comparisons in it. Estimators that
 * differentiate costs refuse what jumps. gb_continuous_in goes on to ask of the `inputs`, at most 8 of them. */
GB_API gb_node gb_continuous(gb_node x);
GB_API gb_node gb_continuous_in(gb_node x, size_t count, const gb_node *inputs);

/* The same of a log density whose support moves with some of its parameters: it jumps where they move and its value, the
 * first of the inputs, does not move with them. */
GB_API gb_node gb_moving_support(gb_node log_p, size_t count, const gb_node *inputs);

/* x, of which discrete distributions are told that it may lie between their values: gb_log_prob takes it there by its
 * formula. gb_is_relaxed sees the mark through views. */
GB_API gb_node gb_relaxed(gb_node x);
GB_API bool gb_is_relaxed(gb_node x);

/* 0, with the gradient of l. */
GB_API gb_node gb_gradient_only(gb_node l);

/* A derivative of one's own: `op` is a GB_FORM_ALIAS whose arguments are the value and `count` inputs, and whose vjp
 * gives adjoints to the inputs (its arguments 1 … count). */
GB_API gb_node gb_with_vjp(const gb_op *op, gb_node value, size_t count, const gb_node *inputs,
                           const void *attributes, size_t attribute_bytes);

/* For estimators. A draw is open until an expectation closes it: gb_grad refuses what depends on an open one. */
GB_API gb_node gb_open_draw(gb_node x);
GB_API gb_node gb_close_draws(gb_node x);

/* The derivative of an operation whose value is its first argument. */
GB_API void gb_vjp_pass(const gb_vjp *v);

/* For those that walk a graph and must know which of its gradients are stopped or injected. */
GB_API extern const gb_op gb_stop_op, gb_inject_op, gb_inject_score_op, gb_continuous_op,
    gb_moving_support_op;

GB_END_DECLS
#endif
