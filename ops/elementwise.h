/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elementwise operations: real arguments, broadcast against each other (shapes by NumPy's rule, hidden axes by
 * union). Each takes the error of its tape if an argument is not usable, and then returns an inert node.
 * Formulas, values and derivatives stand in elementwise_table.h, from which the declarations here come. */
#ifndef GREBE_OPS_ELEMENTWISE_H
#define GREBE_OPS_ELEMENTWISE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* One argument, y = f(x). */
GB_API gb_node gb_neg(gb_node x);
GB_API gb_node gb_abs(gb_node x); /* derivative 0 at 0 */
GB_API gb_node gb_square(gb_node x);
GB_API gb_node gb_sqrt(gb_node x);
GB_API gb_node gb_rsqrt(gb_node x); /* 1 / √x */
GB_API gb_node gb_sign(gb_node x);  /* −1, 0 or 1; NaN for NaN; derivative 0 */
GB_API gb_node gb_floor(gb_node x); /* derivative 0 */
GB_API gb_node gb_sin(gb_node x);
GB_API gb_node gb_cos(gb_node x);
GB_API gb_node gb_exp(gb_node x);
GB_API gb_node gb_log(gb_node x);
GB_API gb_node gb_log1p(gb_node x);
GB_API gb_node gb_expm1(gb_node x);
GB_API gb_node gb_reciprocal(gb_node x);
GB_API gb_node gb_tanh(gb_node x);
GB_API gb_node gb_sigmoid(gb_node x);     /* accurate in both tails */
GB_API gb_node gb_softplus(gb_node x);    /* accurate in both tails */
GB_API gb_node gb_log_sigmoid(gb_node x); /* accurate in both tails */
GB_API gb_node gb_log1mexp(gb_node x); /* log(1 − e^x) for x ≤ 0, accurate everywhere; −∞ at 0, NaN above */
GB_API gb_node gb_lgamma(gb_node x);  /* log |Γ(x)|, ∞ at 0, −1, … */
GB_API gb_node gb_digamma(gb_node x); /* its derivative ψ; −∞ at 0, ∞ at −0, NaN at −1, −2, … */
GB_API gb_node gb_trigamma(gb_node x); /* ψ', ∞ at 0, −1, …; has a first derivative only */
GB_API gb_node gb_erf(gb_node x);
GB_API gb_node gb_erfc(gb_node x);           /* 1 − erf x, to its last digits */
GB_API gb_node gb_normal_density(gb_node x); /* φ(x) = e^(−x²/2) / √(2π) */
GB_API gb_node gb_ndtr(gb_node x);           /* Φ(x), the standard normal distribution function */
GB_API gb_node gb_log_ndtr(gb_node x);       /* log Φ(x), accurate in both tails, as are its derivatives */
GB_API gb_node gb_mills(gb_node x);          /* φ(x) / Φ(x), the derivative of log Φ(x) */
GB_API gb_node gb_mills_excess(gb_node x);   /* x + φ(x) / Φ(x), which does not cancel */
GB_API gb_node gb_ndtri(gb_node p);          /* the x with Φ(x) = p; NaN outside [0, 1] */
GB_API gb_node gb_ndtri_exp(gb_node y);      /* the x with log Φ(x) = y; NaN for y > 0 */
GB_API gb_node gb_i0e(gb_node x);            /* e^−|x| I₀(x); derivative 0 at 0 */
GB_API gb_node gb_i1e(gb_node x); /* e^−|x| I₁(x); the derivative's absolute error is of the size of ε i0e */
GB_API gb_node gb_relu(gb_node x); /* derivative 0 at 0 */

/* Two arguments. */
GB_API gb_node gb_add(gb_node x, gb_node y);
GB_API gb_node gb_sub(gb_node x, gb_node y);
GB_API gb_node gb_mul(gb_node x, gb_node y);
GB_API gb_node gb_div(gb_node x, gb_node y);
GB_API gb_node
gb_pow(gb_node x, gb_node y); /* as C's pow, but +inf from DBL_MAX·(1 − 2e-6) on; d/dy is 0 at x = 0 < y */
/* The angle of the point (x, y), from −π to π: C's atan2. Note the order of the arguments. */
GB_API gb_node gb_atan2(gb_node y, gb_node x);
GB_API gb_node gb_max(gb_node x,
                      gb_node y); /* NaN if one is; the derivative goes to x where they are equal */
GB_API gb_node gb_min(gb_node x, gb_node y);

/* log(e^x + e^y), right where either is infinite. Where both are −∞ the derivatives are 0, where both are ∞ a half. */
GB_API gb_node gb_logaddexp(gb_node x, gb_node y);

/* The share of e^x in e^x + e^y, by which a derivative of their sum's logarithm is divided among them. 0 where x is −∞, a half
 * where both are ∞; and 0 instead of subnormal numbers (of floats: below e^−60), which no sum would notice. */
GB_API gb_node gb_share(gb_node x, gb_node y);

/* x log y and x log(1 + y), but 0 where x is 0 and y is not NaN. There d/dx is still log y, and d/dy is 0. */
GB_API gb_node gb_xlogy(gb_node x, gb_node y);
GB_API gb_node gb_xlog1py(gb_node x, gb_node y);

/* x log(x / y) − x + y for x, y ≥ 0, without cancellation where they are near: the divergence between Poisson
 * distributions of these means, and the main part of log densities of counts (Loader 2000). y where x is 0. */
GB_API gb_node gb_deviance(gb_node x, gb_node y);

/* x/y − 1 − log(x/y) ≥ 0 for x, y > 0, to some units in the last place (40 at most) also where they are near: what divergences between
 * distributions that differ in scale are made of. */
GB_API gb_node gb_ratio_excess(gb_node x, gb_node y);

/* ((x/y)² − 1) / 2 − log(x/y) ≥ 0 for x, y > 0, the divergence of normals with scales x and y around one mean, and its derivative
 * in x, (x/y − y/x) / y. Nothing cancels where the two are near. */
GB_API gb_node gb_scale_divergence(gb_node x, gb_node y);
GB_API gb_node gb_scale_divergence_slope(gb_node x, gb_node y);

/* (x/y)² / 2: what the log density of a normal with scale y loses at the distance x; and its derivative in x, x / y². */
GB_API gb_node gb_misfit(gb_node x, gb_node y);
GB_API gb_node gb_misfit_slope(gb_node x, gb_node y);

/* log p(x) of an outcome x, 0 or 1, whose log odds are y, and the derivative in y: x y − log(1 + e^y) and
 * x − 1 / (1 + e^−y). Nothing cancels for x from 0 to 1, and log p is right where y is infinite. */
GB_API gb_node gb_log_bernoulli(gb_node x, gb_node y);
GB_API gb_node gb_bernoulli_residual(gb_node x, gb_node y);

/* x − y, but 0 where they are equal, even for the same infinity; the derivatives are those of x − y. */
GB_API gb_node gb_gap(gb_node x, gb_node y);

/* The product in a chain rule: adjoint · derivative, but 0 where the adjoint is 0, even against infinity or NaN. */
GB_API gb_node gb_chain(gb_node adjoint, gb_node derivative);

/* With a number. */
GB_API gb_node gb_scale(gb_node x, double factor);
GB_API gb_node gb_shift(gb_node x, double offset);
/* x between low and high; the derivative is 1 there and 0 outside. Either may be infinite. */
GB_API gb_node gb_clip(gb_node x, double low, double high);

/* Activations. */
GB_API gb_node gb_leaky_relu(gb_node x, double slope); /* x, or slope·x where x ≤ 0 (derivative slope at 0) */
GB_API gb_node gb_elu(gb_node x,
                      double alpha); /* x, or alpha (e^x − 1) where x ≤ 0 (derivative alpha at 0) */
GB_API gb_node gb_gelu(gb_node x);   /* x Φ(x), without approximation */
GB_API gb_node gb_silu(gb_node x);   /* x / (1 + e^−x) */

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

/* A real (rounded to the nearest integer, halves to even) or a boolean as an integer. An integer is returned as it is.
 * What is too large for the tape's integers (64 bits, or 32 where reals are floats) becomes the largest that a real
 * can hold, and NaN becomes 0. */
GB_API gb_node gb_to_int(gb_node a);

GB_END_DECLS
#endif
