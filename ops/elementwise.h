/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elementwise operations. Arguments are real and broadcast against each other: shapes by NumPy's rule, hidden
 * axes by union. If an argument is not usable, the result is inert and the tape has the error.
 * ops/elementwise/elementwise_table.h, in the sources, has the formulas, values and derivatives, from which
 * these functions are made. */
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
GB_API gb_node gb_log1mexp(gb_node x); /* log(1 − e^x), x ≤ 0, accurate everywhere; −∞ at 0, NaN above */
GB_API gb_node gb_lgamma(gb_node x);  /* log |Γ(x)|, ∞ at 0, −1, … */
GB_API gb_node gb_digamma(gb_node x); /* its derivative ψ; −∞ at 0, ∞ at −0, NaN at −1, −2, … */
GB_API gb_node gb_trigamma(gb_node x); /* ψ', ∞ at 0, −1, …; has a first derivative only */
GB_API gb_node gb_erf(gb_node x);
GB_API gb_node gb_erfc(gb_node x);           /* 1 − erf x, to its last digits */
GB_API gb_node gb_normal_density(gb_node x); /* φ(x) = e^(−x²/2) / √(2π) */
GB_API gb_node gb_ndtr(gb_node x);           /* Φ(x), the standard normal distribution function */
GB_API gb_node gb_log_ndtr(gb_node x);       /* log Φ(x), accurate in both tails, as are two derivatives */
GB_API gb_node gb_mills(gb_node x);          /* φ(x) / Φ(x), the derivative of log Φ(x) */
GB_API gb_node gb_mills_excess(gb_node x);   /* x + φ(x) / Φ(x), which does not cancel */
GB_API gb_node gb_ndtri(gb_node p);          /* the x with Φ(x) = p; NaN outside [0, 1] */
GB_API gb_node gb_ndtri_exp(gb_node y);      /* the x with log Φ(x) = y; NaN for y > 0 */
GB_API gb_node gb_relu(gb_node x);           /* derivative 0 at 0 */

/* Two arguments. */
GB_API gb_node gb_add(gb_node x, gb_node y);
GB_API gb_node gb_sub(gb_node x, gb_node y);
GB_API gb_node gb_mul(gb_node x, gb_node y);
GB_API gb_node gb_div(gb_node x, gb_node y);
/* As C's pow, but +∞ from DBL_MAX·(1 − 2e-6) on. The derivative in y is 0 at x = 0 < y. */
GB_API gb_node gb_pow(gb_node x, gb_node y);
/* The angle of the point (x, y), from −π to π: C's atan2. Note the order of the arguments. */
GB_API gb_node gb_atan2(gb_node y, gb_node x);
/* NaN if one argument is NaN. Where both are equal, the derivative goes to x. */
GB_API gb_node gb_max(gb_node x, gb_node y);
GB_API gb_node gb_min(gb_node x, gb_node y);

/* log(e^x + e^y), exact where an argument is infinite. The derivatives are 0 where both are −∞, and 1/2 where
 * both are ∞. */
GB_API gb_node gb_logaddexp(gb_node x, gb_node y);

/* e^x / (e^x + e^y), the derivative of gb_logaddexp in x. 0 where x is −∞, 1/2 where both are ∞. Also 0
 * instead of a subnormal number (for floats: below e^−60), which would not change a sum. */
GB_API gb_node gb_share(gb_node x, gb_node y);

/* x log y and x log(1 + y), but 0 where x is 0 and y is not NaN. There d/dx is still log y or log(1 + y), and
 * d/dy is 0. */
GB_API gb_node gb_xlogy(gb_node x, gb_node y);
GB_API gb_node gb_xlog1py(gb_node x, gb_node y);

/* log(x / y) for x, y ≥ 0, without cancellation near x = y, and also where x / y overflows or underflows. −∞
 * where x is 0. */
GB_API gb_node gb_log_ratio(gb_node x, gb_node y);

/* x log(x / y) − x + y for x, y ≥ 0, without cancellation near x = y; y where x is 0. The divergence between
 * Poisson distributions with these means, and the main part of log densities of counts (Loader 2000). */
GB_API gb_node gb_deviance(gb_node x, gb_node y);

/* x/y − 1 − log(x/y) ≥ 0 for x, y > 0, accurate to 40 units in the last place, also near x = y. A term of
 * divergences between distributions that differ in scale. */
GB_API gb_node gb_ratio_excess(gb_node x, gb_node y);

/* ((x/y)² − 1) / 2 − log(x/y) ≥ 0 for x, y > 0: the divergence between normals with scales x and y and the
 * same mean. The slope is its derivative in x, (x/y − y/x) / y. Both without cancellation near x = y. */
GB_API gb_node gb_scale_divergence(gb_node x, gb_node y);
GB_API gb_node gb_scale_divergence_slope(gb_node x, gb_node y);

/* (x/y)² / 2: the log density of a normal with scale y at its mode, minus that at the distance x from it. The
 * slope is its derivative in x, x / y². */
GB_API gb_node gb_misfit(gb_node x, gb_node y);
GB_API gb_node gb_misfit_slope(gb_node x, gb_node y);

/* log p(x) = x y − log(1 + e^y) for an outcome x, 0 or 1, with log odds y. The residual is its derivative in
 * y, x − 1 / (1 + e^−y). Both without cancellation for x from 0 to 1; log p is exact where y is infinite. */
GB_API gb_node gb_log_bernoulli(gb_node x, gb_node y);
GB_API gb_node gb_bernoulli_residual(gb_node x, gb_node y);

/* x − y, but 0 where the arguments are equal, even if infinite. The derivatives are those of x − y. */
GB_API gb_node gb_gap(gb_node x, gb_node y);

/* The product in a chain rule: adjoint · derivative, but 0 where the adjoint is 0, even if the derivative is
 * infinite or NaN. Its own derivative has a product of two adjoints, which is 0 where either is: so the rule
 * holds for derivatives of every order. */
GB_API gb_node gb_chain(gb_node adjoint, gb_node derivative);
GB_API gb_node gb_chain_both(gb_node adjoint, gb_node other_adjoint);

/* One argument and numbers: factor · x, x + offset. */
GB_API gb_node gb_scale(gb_node x, double factor);
GB_API gb_node gb_shift(gb_node x, double offset);
/* min(max(x, low), high). The derivative is 1 from low to high, 0 outside. Either bound may be infinite. */
GB_API gb_node gb_clip(gb_node x, double low, double high);

/* Activations. */
/* x, or slope·x where x ≤ 0 (derivative slope at 0). */
GB_API gb_node gb_leaky_relu(gb_node x, double slope);
/* x, or alpha (e^x − 1) where x ≤ 0 (derivative alpha at 0). */
GB_API gb_node gb_elu(gb_node x, double alpha);
GB_API gb_node gb_gelu(gb_node x); /* x Φ(x), without approximation */
GB_API gb_node gb_silu(gb_node x); /* x / (1 + e^−x) */

/* Comparisons of reals. The result is boolean; false where an argument is NaN. */
GB_API gb_node gb_less(gb_node x, gb_node y);
GB_API gb_node gb_less_equal(gb_node x, gb_node y);
GB_API gb_node gb_greater(gb_node x, gb_node y);
GB_API gb_node gb_greater_equal(gb_node x, gb_node y);
GB_API gb_node gb_equal(gb_node x, gb_node y);

/* Booleans. */
GB_API gb_node gb_not(gb_node a);
GB_API gb_node gb_and(gb_node a, gb_node b);
GB_API gb_node gb_or(gb_node a, gb_node b);

/* x where the condition is true, else y. The argument that is not selected does not matter: neither its value
 * nor its derivative, even if NaN or infinite. */
GB_API gb_node gb_where(gb_node condition, gb_node x, gb_node y);

/* Converts a boolean (0 or 1) or an integer to a real. Returns a real unchanged. */
GB_API gb_node gb_to_real(gb_node a);

/* Converts a real (rounded to the nearest integer, halves to even) or a boolean to an integer. Returns an
 * integer unchanged. A value too large for the tape's integers (64 bits; 32 on float tapes) becomes the
 * largest integer that a real can hold. NaN becomes 0. */
GB_API gb_node gb_to_int(gb_node a);

GB_END_DECLS
#endif
