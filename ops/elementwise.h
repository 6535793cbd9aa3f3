/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elementwise operations: real arguments, broadcast against each other (shapes by NumPy's rule, hidden axes by
 * union). Each takes the error of its tape if an argument is not usable, and then returns an inert node.
 * Formulas, values and derivatives stand in elementwise_table.h, from which the declarations here come. */
#ifndef GREBE_OPS_ELEMENTWISE_H
#define GREBE_OPS_ELEMENTWISE_H

#include "../core/op.h"

GB_BEGIN_DECLS

/* One argument, y = f(x). */
GB_API gb_node gb_neg(gb_node x);
GB_API gb_node gb_abs(gb_node x); /* derivative 0 at 0 */
GB_API gb_node gb_square(gb_node x);
GB_API gb_node gb_sqrt(gb_node x);
GB_API gb_node gb_exp(gb_node x);
GB_API gb_node gb_log(gb_node x);
GB_API gb_node gb_log1p(gb_node x);
GB_API gb_node gb_expm1(gb_node x);
GB_API gb_node gb_reciprocal(gb_node x);
GB_API gb_node gb_tanh(gb_node x);
GB_API gb_node gb_sigmoid(gb_node x);     /* accurate in both tails */
GB_API gb_node gb_softplus(gb_node x);    /* accurate in both tails */
GB_API gb_node gb_log_sigmoid(gb_node x); /* accurate in both tails */
GB_API gb_node gb_relu(gb_node x);        /* derivative 0 at 0 */

/* Two arguments. */
GB_API gb_node gb_add(gb_node x, gb_node y);
GB_API gb_node gb_sub(gb_node x, gb_node y);
GB_API gb_node gb_mul(gb_node x, gb_node y);
GB_API gb_node gb_div(gb_node x, gb_node y);
GB_API gb_node
gb_pow(gb_node x, gb_node y); /* as C's pow, but +inf from DBL_MAX·(1 − 2e-6) on; d/dy is 0 at x = 0 < y */
GB_API gb_node gb_max(gb_node x,
                      gb_node y); /* NaN if one is; the derivative goes to x where they are equal */
GB_API gb_node gb_min(gb_node x, gb_node y);

/* The product in a chain rule: adjoint · derivative, but 0 where the adjoint is 0, even against infinity or NaN. */
GB_API gb_node gb_chain(gb_node adjoint, gb_node derivative);

/* With a number. */
GB_API gb_node gb_scale(gb_node x, double factor);
GB_API gb_node gb_shift(gb_node x, double offset);
/* x between low and high; the derivative is 1 there and 0 outside. Either may be infinite. */
GB_API gb_node gb_clip(gb_node x, double low, double high);

/* Comparisons of reals are booleans; false where one is NaN. */
GB_API gb_node gb_less(gb_node x, gb_node y);
GB_API gb_node gb_less_equal(gb_node x, gb_node y);
GB_API gb_node gb_greater(gb_node x, gb_node y);
GB_API gb_node gb_greater_equal(gb_node x, gb_node y);
GB_API gb_node gb_equal(gb_node x, gb_node y);

/* Booleans. */
GB_API gb_node gb_not(gb_node a);
GB_API gb_node gb_and(gb_node a, gb_node b);
GB_API gb_node gb_or(gb_node a, gb_node b);

/* x where the boolean is true, else y; the other one's value and derivative do not matter, NaN and infinity included. */
GB_API gb_node gb_where(gb_node condition, gb_node x, gb_node y);

/* A boolean (0 or 1) or an integer as a real. A real is returned as it is. */
GB_API gb_node gb_to_real(gb_node a);

GB_END_DECLS
#endif
