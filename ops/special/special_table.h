/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The special functions, one entry for each:
 *
 *   GB_SPECIAL_1(name, formula, once, adjoint of x,             argument x)
 *   GB_SPECIAL_2(name, formula, once, adjoint of x, of y,       argument x, argument y)
 *   GB_SPECIAL_3(name, formula, once, adjoint of x, of y, of z, argument x, argument y, argument z)
 *
 * The value is gb_NAME_at(x, y, z), a function of numbers. An adjoint is a node: an expression in the
 * arguments, the result r and the adjoint g of the result. rejected("…") makes that gradient an error that
 * names the function. If `once` is true, a second derivative is such an error too.
 *
 * The arguments are those of tests: vary(low, high), or fix(low, high) where neither the adjoints nor their
 * own derivatives have a derivative. (Functions whose order is a number, as polygamma, are in special.c.) */

/* clang-format off */
#ifdef GB_SPECIAL_1
GB_SPECIAL_1(log_less_digamma, "log x - digamma(x)", false,
    chain(g, gb_neg(polygamma_rest(1, x))),
    vary(0.4, 6))
GB_SPECIAL_1(von_mises_spread, "1 - I1(x) / I0(x)", false,
    chain(g, gb_von_mises_spread_slope(x)),
    vary(0, 40))
GB_SPECIAL_1(von_mises_spread_slope, "the derivative of 1 - I1(x) / I0(x)", true,
    chain(g, gb_von_mises_spread_curve(x)),
    vary(0, 40))
GB_SPECIAL_1(von_mises_spread_curve, "the second derivative of 1 - I1(x) / I0(x)", false,
    rejected("its argument"),
    fix(0, 40))
#endif

#ifdef GB_SPECIAL_2
GB_SPECIAL_2(gamma_p, "P(a, x), the lower incomplete gamma function over Gamma(a)", false,
    chain(g, gb_gamma_p_slope(x, y)), chain(g, gb_gamma_density(x, y)),
    fix(1, 6), vary(0.5, 6))
GB_SPECIAL_2(gamma_q, "Q(a, x) = 1 - P(a, x)", false,
    chain(g, gb_neg(gb_gamma_p_slope(x, y))), chain(g, gb_neg(gb_gamma_density(x, y))),
    fix(1, 6), vary(0.5, 6))
GB_SPECIAL_2(gamma_density, "x^(a-1) e^-x / Gamma(a)", false,
    chain(g, chain(r, gb_sub(gb_log(y), digamma(x)))),
    chain(g, chain(r, gb_shift(gb_div(gb_shift(x, -1), y), -1))),
    vary(0.5, 5), vary(0.5, 6))
GB_SPECIAL_2(gamma_p_slope, "d/da P(a, x)", false,
    rejected("its shape"), chain(g, chain(gb_gamma_density(x, y), gb_sub(gb_log(y), digamma(x)))),
    fix(1, 6), vary(0.5, 6))
GB_SPECIAL_2(gamma_p_inverse, "the x with P(a, x) = p", false,
    chain(g, chain(r, gb_gamma_draw_slope(x, gb_log(r)))), chain(g, gb_reciprocal(gb_gamma_density(x, r))),
    fix(1, 6), vary(0.1, 0.9))
GB_SPECIAL_2(gamma_q_inverse, "the x with Q(a, x) = q", false,
    chain(g, chain(r, gb_gamma_draw_slope(x, gb_log(r)))),
    chain(g, gb_neg(gb_reciprocal(gb_gamma_density(x, r)))),
    fix(1, 6), vary(0.1, 0.9))
GB_SPECIAL_2(gamma_draw_slope, "-(d/da P(a, x)) / (x density), x = e^y", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(1, 20), fix(-2, 3))
GB_SPECIAL_2(scaled_log_gamma_slope, "d/da of y, log(x / a) or log x for a <= 4, at constant P(a, x)", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(1, 20), fix(-2, 1))
GB_SPECIAL_2(lbeta, "log B(a, b)", false,
    chain(g, gb_neg(gb_digamma_difference(x, y))), chain(g, gb_neg(gb_digamma_difference(y, x))),
    vary(0.4, 5), vary(0.4, 5))
GB_SPECIAL_2(digamma_difference, "digamma(a + b) - digamma(a)", false,
    chain(g, gb_polygamma_difference(1, x, y)), chain(g, gb_polygamma(1, gb_add(x, y))),
    vary(0.5, 5), vary(0.5, 5))
GB_SPECIAL_2(digamma_gap, "digamma(x) - digamma(y)", false,
    chain(g, gb_trigamma(x)), chain(g, gb_neg(gb_trigamma(y))),
    vary(0.4, 6), vary(0.4, 6))
GB_SPECIAL_2(digamma_rest_gap, "digamma(x) - log x - digamma(y) + log y", false,
    chain(g, polygamma_rest(1, x)), chain(g, gb_neg(polygamma_rest(1, y))),
    vary(0.4, 6), vary(0.4, 6))
GB_SPECIAL_2(log_gamma_kernel, "log(r^a e^-r / Gamma(a))", false,
    chain(g, gb_add(gb_sub(gb_log(y), gb_log(x)), gb_log_less_digamma(x))), chain(g, gb_div(gb_sub(x, y), y)),
    vary(0.4, 6), vary(0.3, 6))
GB_SPECIAL_2(log_gamma_bregman, "log Gamma(c) - log Gamma(a) - (c - a) digamma(a)", false,
    chain(g, gb_digamma_gap(x, y)), chain(g, gb_mul(gb_sub(y, x), gb_trigamma(y))),
    vary(0.4, 6), vary(0.4, 6))
GB_SPECIAL_2(stirling_bregman, "log_gamma_bregman(c, a) - deviance(a, c)", false,
    chain(g, gb_digamma_rest_gap(x, y)),
    chain(g, gb_mul(gb_sub(y, x), polygamma_rest(1, y))),
    vary(0.4, 6), vary(0.4, 6))
GB_SPECIAL_2(student_t_draw_slope, "dz/dx of a draw z of Student's t with x degrees of freedom", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(1, 20), fix(0.25, 3))
GB_SPECIAL_2(von_mises_cdf, "the integral of e^(k cos t) / 2 pi I0(k) from -pi to x", true,
    chain(g, gb_von_mises_cdf_slope(x, y)), chain(g, gb_von_mises_density(x, y)),
    vary(0.2, 4), vary(-3, 3))
GB_SPECIAL_2(von_mises_density, "e^(k cos x) / 2 pi I0(k)", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(0, 4), fix(0.25, 3))
GB_SPECIAL_2(von_mises_cdf_slope, "d/dk of the von Mises CDF", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(0, 4), fix(0.25, 3))
GB_SPECIAL_2(von_mises_draw_slope, "-(d/dk of the von Mises CDF) / density", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(0, 4), fix(0.25, 3))
GB_SPECIAL_2(von_mises_bregman, "log I0(c) - log I0(a) - (c - a) I1(a) / I0(a)", false,
    chain(g, gb_sub(gb_von_mises_spread(y), gb_von_mises_spread(x))),
    chain(g, gb_mul(gb_sub(x, y), gb_von_mises_spread_slope(y))),
    vary(0.2, 4), fix(0, 4))
GB_SPECIAL_2(kumaraswamy_log_rest, "-E[log(1 - x)], x from Kumaraswamy(a, b)", true,
    chain(g, gb_kumaraswamy_log_rest_slope_a(x, y)), chain(g, gb_kumaraswamy_log_rest_slope_b(x, y)),
    vary(0.5, 4), vary(0.5, 4))
GB_SPECIAL_2(kumaraswamy_log_rest_slope_a, "d/da -E[log(1 - x)], x from Kumaraswamy(a, b)", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(0.5, 4), fix(0.5, 4))
GB_SPECIAL_2(kumaraswamy_log_rest_slope_b, "d/db -E[log(1 - x)], x from Kumaraswamy(a, b)", false,
    rejected("its arguments"), rejected("its arguments"),
    fix(0.5, 4), fix(0.5, 4))
#endif

#ifdef GB_SPECIAL_3
GB_SPECIAL_3(beta_i, "I_x(a, b), the incomplete beta function over B(a, b)", false,
    chain(g, gb_beta_i_slope_a(x, y, z)),
    chain(g, gb_beta_i_slope_b(x, y, z)),
    chain(g, gb_beta_density(x, y, z)),
    fix(1, 5), fix(1, 5), vary(0.1, 0.9))
GB_SPECIAL_3(beta_i_upper, "1 - I_x(a, b)", false,
    chain(g, gb_neg(gb_beta_i_slope_a(x, y, z))),
    chain(g, gb_neg(gb_beta_i_slope_b(x, y, z))),
    chain(g, gb_neg(gb_beta_density(x, y, z))),
    fix(1, 5), fix(1, 5), vary(0.1, 0.9))
GB_SPECIAL_3(beta_density, "x^(a-1) (1-x)^(b-1) / B(a, b)", false,
    chain(g, chain(r, a_score(x, y, z))),
    chain(g, chain(r, b_score(x, y, z))),
    chain(g, chain(r, x_score(x, y, z))),
    vary(0.6, 4), vary(0.6, 4), vary(0.15, 0.85))
GB_SPECIAL_3(beta_i_slope_a, "d/da I_x(a, b)", false,
    rejected("its shapes"), rejected("its shapes"),
    chain(g, chain(gb_beta_density(x, y, z), a_score(x, y, z))),
    fix(1, 5), fix(1, 5), vary(0.1, 0.9))
GB_SPECIAL_3(beta_i_slope_b, "d/db I_x(a, b)", false,
    rejected("its shapes"), rejected("its shapes"),
    chain(g, chain(gb_beta_density(x, y, z), b_score(x, y, z))),
    fix(1, 5), fix(1, 5), vary(0.1, 0.9))
GB_SPECIAL_3(beta_i_inverse, "the x with I_x(a, b) = p", false,
    chain(g, gb_beta_draw_slope_a(x, y, r)), chain(g, gb_beta_draw_slope_b(x, y, r)),
    chain(g, gb_reciprocal(gb_beta_density(x, y, r))),
    fix(1, 5), fix(1, 5), vary(0.1, 0.9))
GB_SPECIAL_3(beta_log_odds_slope_a, "dl/da at a constant I_x(a, b), x = 1 / (1 + e^-l)", false,
    rejected("its arguments"), rejected("its arguments"), rejected("its arguments"),
    fix(1, 5), fix(1, 5), fix(-2, 2))
GB_SPECIAL_3(beta_log_odds_slope_b, "dl/db at a constant I_x(a, b), x = 1 / (1 + e^-l)", false,
    rejected("its arguments"), rejected("its arguments"), rejected("its arguments"),
    fix(1, 5), fix(1, 5), fix(-2, 2))
GB_SPECIAL_3(beta_scaled_slope_a, "dl/da of l, less log(a / b) for a, b > 4, at a constant I_x(a, b)", false,
    rejected("its arguments"), rejected("its arguments"), rejected("its arguments"),
    fix(1, 5), fix(1, 5), fix(-2, 2))
GB_SPECIAL_3(beta_scaled_slope_b, "dl/db of l, less log(a / b) for a, b > 4, at a constant I_x(a, b)", false,
    rejected("its arguments"), rejected("its arguments"), rejected("its arguments"),
    fix(1, 5), fix(1, 5), fix(-2, 2))
GB_SPECIAL_3(beta_i_upper_inverse, "the x with 1 - I_x(a, b) = q", false,
    chain(g, gb_beta_draw_slope_a(x, y, r)), chain(g, gb_beta_draw_slope_b(x, y, r)),
    chain(g, gb_neg(gb_reciprocal(gb_beta_density(x, y, r)))),
    fix(1, 5), fix(1, 5), vary(0.1, 0.9))
GB_SPECIAL_3(beta_draw_slope_a, "-(d/da I_x(a, b)) / density", false,
    rejected("its arguments"), rejected("its arguments"), rejected("its arguments"),
    fix(1, 5), fix(1, 5), fix(0.25, 0.75))
GB_SPECIAL_3(beta_draw_slope_b, "-(d/db I_x(a, b)) / density", false,
    rejected("its arguments"), rejected("its arguments"), rejected("its arguments"),
    fix(1, 5), fix(1, 5), fix(0.25, 0.75))
#endif
/* clang-format on */
