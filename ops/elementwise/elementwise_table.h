/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elementwise operations, one entry for each:
 *
 *   GB_UNARY  (name, formula, value, adjoint of x, interval of x)
 *   GB_STEP   (name, formula, value, interval of x)
 *   GB_BINARY (name, formula, value, adjoint of x, adjoint of y,
 *              interval of x, interval of y, neutral x, neutral y, commutes)
 *   GB_COMPARE(name, formula, value)
 *
 * A value is an expression in x and y, with the operators of C and the functions of vector_math_impl.h, lane
 * by lane. An adjoint is a node: an expression in the arguments x and y, the result r, and the adjoint g of
 * the result. chain(g, d) is the product g · d that is 0 where g is 0. Tests draw their arguments from the
 * intervals.
 *
 * The value of a step is piecewise constant, so its derivative is 0. A comparison is boolean and has no
 * derivative. If x is the neutral number, the result is y, to the last bit, and the other way round. NONE:
 * there is no such number. */

/* clang-format off */
#ifdef GB_UNARY
GB_UNARY(neg, "-x", -x,
    gb_neg(g), -3, 3)
GB_UNARY(abs, "|x|", v_abs(x),
    chain(g, gb_sign(x)), -3, 3)
GB_UNARY(square, "x^2", x * x,
    chain(g, gb_scale(x, 2)), -3, 3)
GB_UNARY(sqrt, "the square root of x", v_sqrt(x),
    chain(g, gb_div(num(0.5), r)), 0.1, 4)
GB_UNARY(rsqrt, "1 / the square root of x", 1 / v_sqrt(x),
    chain(g, gb_div(gb_scale(r, -0.5), x)), 0.2, 4)
GB_UNARY(sin, "sin x", v_sin(x),
    chain(g, gb_cos(x)), -4, 4)
GB_UNARY(cos, "cos x", v_cos(x),
    chain(g, gb_neg(gb_sin(x))), -4, 4)
GB_UNARY(exp, "e^x", v_exp(x),
    chain(g, r), -3, 3)
GB_UNARY(log, "log x", v_log(x),
    chain(g, gb_reciprocal(x)), 0.1, 4)
GB_UNARY(log1p, "log(1 + x)", v_log1p(x),
    chain(g, gb_reciprocal(gb_shift(x, 1))), -0.8, 3)
GB_UNARY(expm1, "e^x - 1", v_expm1(x),
    chain(g, gb_exp(x)), -3, 3)
GB_UNARY(reciprocal, "1 / x", 1 / x,
    chain(g, gb_neg(gb_square(r))), 0.2, 4)
GB_UNARY(tanh, "tanh x", v_tanh(x),
    chain(g, tanh_slope(x)), -3, 3)
GB_UNARY(sigmoid, "1 / (1 + e^-x)", v_sigmoid(x),
    chain(g, gb_mul(r, gb_sigmoid(gb_neg(x)))), -4, 4)
GB_UNARY(softplus, "log(1 + e^x)", v_softplus(x),
    chain(g, gb_sigmoid(x)), -4, 4)
GB_UNARY(log_sigmoid, "-log(1 + e^-x)", v_log_sigmoid(x),
    chain(g, gb_sigmoid(gb_neg(x))), -4, 4)
GB_UNARY(lgamma, "log |Gamma(x)|", v_lgamma(x),
    chain(g, gb_digamma(x)), 0.2, 6)
GB_UNARY(digamma, "the derivative of log |Gamma(x)|", v_digamma(x),
    chain(g, gb_trigamma(x)), 0.4, 6)
GB_UNARY(erf, "the error function 2 Phi(x sqrt 2) - 1", v_erf(x),
    chain(g, erf_slope(x)), -3, 3)
GB_UNARY(erfc, "1 - erf x", v_erfc(x),
    chain(g, gb_neg(erf_slope(x))), -3, 3)
GB_UNARY(normal_density, "phi(x) = e^(-x^2/2) / sqrt(2 pi)", v_normal_density(x),
    chain(g, gb_neg(gb_mul(x, r))), -3, 3)
GB_UNARY(ndtr, "Phi(x), the integral of phi up to x", v_ndtr(x),
    chain(g, gb_normal_density(x)), -3, 3)
GB_UNARY(log_ndtr, "log Phi(x)", v_log_ndtr(x),
    chain(g, gb_mills(x)), -3, 3)
GB_UNARY(mills, "phi(x) / Phi(x)", v_mills(x),
    chain(g, gb_neg(gb_mul(r, gb_mills_excess(x)))), -3, 3)
GB_UNARY(mills_excess, "x + phi(x) / Phi(x)", v_mills_excess(x),
    chain(g, mills_excess_slope(x, r)), -3, 3)
GB_UNARY(ndtri, "the x whose Phi(x) is p", v_ndtri(x),
    chain(g, gb_reciprocal(gb_normal_density(r))), 0.05, 0.95)
GB_UNARY(ndtri_exp, "the x whose log Phi(x) is y", v_ndtri_exp(x),
    chain(g, gb_reciprocal(gb_mills(r))), -4, -0.1)
GB_UNARY(log1mexp, "log(1 - e^x)", v_log1mexp(x),
    chain(g, gb_div(gb_exp(x), gb_expm1(x))), -4, -0.2)
GB_UNARY(relu, "x where x > 0, else 0", v_select(x <= 0, v_splat(0), x),
    only_if(gb_greater(r, num(0)), g), -3, 3)
#endif

#ifdef GB_STEP
GB_STEP(sign, "-1, 0 or 1, as x is negative, zero or positive", v_sign(x), 0.2, 3)
GB_STEP(floor, "the largest integer that is not above x", v_floor(x), 0.1, 0.9)
#endif

#ifdef GB_BINARY
GB_BINARY(add, "x + y", x + y,
    g, g,
    -3, 3, -3, 3, -0.0, -0.0, true)
GB_BINARY(sub, "x - y", x - y,
    g, gb_neg(g),
    -3, 3, -3, 3, NONE, 0.0, false)
GB_BINARY(mul, "x y", x * y,
    chain(g, y), chain(g, x),
    -3, 3, -3, 3, 1, 1, true)
GB_BINARY(div, "x / y", x / y,
    chain(g, gb_reciprocal(y)), chain(g, gb_neg(gb_chain(r, gb_reciprocal(y)))),
    -3, 3, 0.3, 4, NONE, 1, false)
GB_BINARY(pow, "x^y", v_pow(x, y),
    chain(g, power_slope(x, y)), chain(g, gb_chain(r, gb_log(x))),
    0.2, 3, -2, 3, NONE, 1, false)
GB_BINARY(atan2, "the angle of the point (y, x), from -pi to pi", v_atan2(x, y),
    chain(g, per_square_of_distance(y, x)), chain(g, gb_neg(per_square_of_distance(x, y))),
    0.3, 3, -3, 3, NONE, NONE, false)
GB_BINARY(max, "the larger of x and y; NaN if one is", v_max(x, y),
    only_if(gb_greater_equal(x, y), g), unless(gb_greater_equal(x, y), g),
    -3, 3, -3, 3, NONE, NONE, false)
GB_BINARY(min, "the smaller of x and y; NaN if one is", v_min(x, y),
    only_if(gb_less_equal(x, y), g), unless(gb_less_equal(x, y), g),
    -3, 3, -3, 3, NONE, NONE, false)
GB_BINARY(gap, "x - y, but 0 where x is y", v_select(x == y, v_splat(0), x - y),
    g, gb_neg(g),
    -3, 3, -3, 3, NONE, NONE, false)
GB_BINARY(logaddexp, "log(e^x + e^y)", v_logaddexp(x, y),
    chain(g, gb_share(x, y)), chain(g, gb_share(y, x)),
    -3, 3, -3, 3, -INFINITY, -INFINITY, true)
GB_BINARY(share, "e^x / (e^x + e^y)", v_share(x, y),
    chain(g, gb_mul(r, gb_share(y, x))), chain(g, gb_neg(gb_mul(r, gb_share(y, x)))),
    -3, 3, -3, 3, NONE, NONE, false)
GB_BINARY(xlogy, "x log y, but 0 where x is 0", v_select((x == 0) & (y == y), v_splat(0), x * v_log(y)),
    chain(g, gb_log(y)), chain(g, gb_chain(x, gb_reciprocal(y))),
    -3, 3, 0.2, 4, NONE, NONE, false)
GB_BINARY(xlog1py, "x log(1 + y), but 0 where x is 0",
    v_select((x == 0) & (y == y), v_splat(0), x * v_log1p(y)),
    chain(g, gb_log1p(y)), chain(g, gb_chain(x, gb_reciprocal(gb_shift(y, 1)))),
    -3, 3, -0.7, 3, NONE, NONE, false)
GB_BINARY(log_ratio, "log(x / y)", v_log_ratio(x, y),
    chain(g, gb_reciprocal(x)), chain(g, gb_neg(gb_reciprocal(y))),
    0.3, 4, 0.3, 4, NONE, NONE, false)
GB_BINARY(deviance, "x log(x / y) - x + y", v_deviance(x, y),
    chain(g, gb_log_ratio(x, y)), chain(g, gb_neg(gb_expm1(gb_log_ratio(x, y)))),
    0.3, 4, 0.3, 4, NONE, NONE, false)
GB_BINARY(ratio_excess, "x / y - 1 - log(x / y)", v_ratio_excess(x, y),
    chain(g, gb_div(off_by(x, y), x)), chain(g, gb_neg(gb_div(off_by(x, y), y))),
    0.3, 4, 0.3, 4, NONE, NONE, false)
GB_BINARY(scale_divergence, "((x / y)^2 - 1) / 2 - log(x / y)", v_scale_divergence(x, y),
    chain(g, gb_scale_divergence_slope(x, y)),
    chain(g, gb_neg(gb_mul(gb_div(x, y), gb_scale_divergence_slope(x, y)))),
    0.3, 4, 0.3, 4, NONE, NONE, false)
GB_BINARY(scale_divergence_slope, "(x / y - y / x) / y, which is d/dx of scale_divergence",
    v_scale_divergence_slope(x, y),
    chain(g, gb_add(gb_square(gb_reciprocal(x)), gb_square(gb_reciprocal(y)))),
    chain(g, gb_scale(gb_div(gb_misfit_slope(x, y), y), -2)),
    0.3, 4, 0.3, 4, NONE, NONE, false)
GB_BINARY(misfit, "(x / y)^2 / 2", v_misfit(x, y),
    chain(g, gb_misfit_slope(x, y)), chain(g, gb_neg(gb_mul(gb_div(x, y), gb_misfit_slope(x, y)))),
    -3, 3, 0.3, 4, NONE, NONE, false)
GB_BINARY(misfit_slope, "x / y^2, which is d/dx of misfit", v_misfit_slope(x, y),
    chain(g, gb_square(gb_reciprocal(y))), chain(g, gb_scale(gb_div(r, y), -2)),
    -3, 3, 0.3, 4, NONE, NONE, false)
GB_BINARY(log_bernoulli, "x y - log(1 + e^y): log p of x, 0 or 1, whose log odds are y",
    v_log_bernoulli(x, y),
    chain(g, y), chain(g, gb_bernoulli_residual(x, y)),
    0.1, 0.9, -3, 3, NONE, NONE, false)
GB_BINARY(bernoulli_residual, "x - 1 / (1 + e^-y), which is d/dy of log_bernoulli",
    v_bernoulli_residual(x, y),
    g, chain(g, gb_neg(gb_mul(gb_sigmoid(y), gb_sigmoid(gb_neg(y))))),
    0.1, 0.9, -3, 3, NONE, NONE, false)
GB_BINARY(chain, "x y, but 0 where x is 0", v_chain(x, y),
    chain(g, y), gb_chain_both(g, x),
    -3, 3, -3, 3, 1, 1, false)
GB_BINARY(chain_both, "x y, but 0 where x or y is 0", v_select((x == 0) | (y == 0), v_splat(0), x * y),
    gb_chain_both(g, y), gb_chain_both(g, x),
    -3, 3, -3, 3, 1, 1, true)
#endif

#ifdef GB_COMPARE
GB_COMPARE(less,          "x < y",  x < y)
GB_COMPARE(less_equal,    "x <= y", x <= y)
GB_COMPARE(greater,       "x > y",  x > y)
GB_COMPARE(greater_equal, "x >= y", x >= y)
GB_COMPARE(equal,         "x = y",  x == y)
#endif
/* clang-format on */
