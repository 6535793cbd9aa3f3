/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Special functions: values, gradients and second gradients; and all functions of numbers at their edges. */
#ifndef GREBE_TESTS_PROGRAMS_SPECIAL_H
#define GREBE_TESTS_PROGRAMS_SPECIAL_H

#include "programs_elementwise.h"

static void special_gamma(probe *p)
{
    LOOK_AT_BINARY(p, {OP(gamma_p), {1, 6}, {0.5, 6}}, {OP(gamma_q), {1, 6}, {0.5, 6}},
                   {OP(gamma_density), {0.5, 5}, {0.5, 6}}, {OP(gamma_p_slope), {1, 6}, {0.5, 6}},
                   {OP(gamma_p_inverse), {1, 6}, {0.125, 0.875}},
                   {OP(gamma_q_inverse), {1, 6}, {0.125, 0.875}}, {OP(gamma_draw_slope), {1, 20}, {-2, 3}});
}

static void special_log_gamma(probe *p)
{
    LOOK_AT_BINARY(p, {OP(lbeta), {0.5, 5}, {0.5, 5}}, {OP(digamma_difference), {0.5, 5}, {0.5, 5}},
                   {OP(log_gamma_kernel), {0.5, 6}, {0.25, 6}}, {OP(log_gamma_bregman), {0.5, 6}, {0.5, 6}},
                   {OP(stirling_bregman), {0.5, 6}, {0.5, 6}});
    const gb_node x = variable(p, "x", gb_shape(ELEMENTS), 0.5, 9);
    for (int n = 0; n < 4; n++)
        keep_two_gradients(p, gb_polygamma(n, x), 1, &x);
    look_at_kept(p, 1);
}

static void special_beta(probe *p)
{
    LOOK_AT_TERNARY(p, {OP(beta_i), {1, 5}, {1, 5}, {0.125, 0.875}},
                    {OP(beta_density), {0.5, 4}, {0.5, 4}, {0.125, 0.875}},
                    {OP(beta_i_slope_a), {1, 5}, {1, 5}, {0.125, 0.875}},
                    {OP(beta_i_slope_b), {1, 5}, {1, 5}, {0.125, 0.875}},
                    {OP(beta_i_inverse), {1, 5}, {1, 5}, {0.125, 0.875}},
                    {OP(beta_draw_slope_a), {1, 5}, {1, 5}, {0.25, 0.75}},
                    {OP(beta_draw_slope_b), {1, 5}, {1, 5}, {0.25, 0.75}});
}

static void special_von_mises(probe *p)
{
    LOOK_AT_UNARY(p, {OP(von_mises_spread), {0, 20}}, {OP(von_mises_spread_slope), {0, 20}});
    LOOK_AT_BINARY(p, {OP(von_mises_cdf), {0.25, 4}, {-3, 3}}, {OP(von_mises_density), {0, 4}, {0.25, 3}},
                   {OP(von_mises_cdf_slope), {0, 4}, {0.25, 3}},
                   {OP(von_mises_draw_slope), {0, 4}, {0.25, 3}});
}

static void special_kumaraswamy(probe *p)
{
    LOOK_AT_BINARY(p, {OP(kumaraswamy_log_rest), {0.5, 4}, {0.5, 4}},
                   {OP(kumaraswamy_log_rest_slope_a), {0.5, 4}, {0.5, 4}},
                   {OP(kumaraswamy_log_rest_slope_b), {0.5, 4}, {0.5, 4}});
}

static void special_quantiles_of_counts(probe *p)
{
    LOOK_AT_BINARY(p, {OP(poisson_quantile), {0, 30}, {0, 1}});
    const gb_node total = gb_to_real(gb_to_int(constant(p, "total", gb_shape(19), 1, 40)));
    const gb_node failures = constant(p, "failures", gb_shape(19), 0.5, 9);
    const gb_node side = constant(p, "side", gb_shape(19), -0.5, 0.5);
    const gb_node u = constant(p, "u", gb_shape(19), 0, 1);
    keep(p, gb_binomial_quantile(total, side, u));
    keep(p, gb_negative_binomial_quantile(failures, side, u));
    look_at_kept(p, 1);
}

static void special_normal_interval(probe *p)
{
    gb_node x[2];
    x[0] = variable(p, "near", gb_shape(ELEMENTS), -0.5, 6);
    x[1] = variable(p, "width", gb_shape(ELEMENTS), 1, 5);
    const gb_normal_interval in = {.near = x[0], .width = x[1], .far = gb_add(x[0], x[1])};
    keep_two_gradients(p, gb_normal_interval_mass(in), 2, x);
    keep_two_gradients(p, gb_normal_interval_mean(in), 2, x);
    keep_two_gradients(p, gb_normal_interval_variance(in), 2, x);
    keep(p, gb_normal_interval_third_moment(in));
    look_at_kept(p, 1);
}

/* ---- edges: zeros, infinities, NaN, numbers that are large and small ---- */

static const double EDGES[] = {0,    -0.0, 1e-30, -1e-30, 1e-5, 0.5, -0.5, 1,        -1,        2,
                               -2.5, 20,   -20,   150,    -150, 1e9, -1e9, INFINITY, -INFINITY, NAN};
enum { EDGE_COUNT = sizeof EDGES / sizeof *EDGES };

static void edges_of_one_argument(probe *p)
{
    static gb_node (*const all[])(gb_node) = {gb_neg,
                                              gb_abs,
                                              gb_square,
                                              gb_sqrt,
                                              gb_rsqrt,
                                              gb_sign,
                                              gb_floor,
                                              gb_sin,
                                              gb_cos,
                                              gb_exp,
                                              gb_log,
                                              gb_log1p,
                                              gb_expm1,
                                              gb_reciprocal,
                                              gb_tanh,
                                              gb_sigmoid,
                                              gb_softplus,
                                              gb_log_sigmoid,
                                              gb_log1mexp,
                                              gb_lgamma,
                                              gb_digamma,
                                              gb_trigamma,
                                              gb_erf,
                                              gb_erfc,
                                              gb_ndtr,
                                              gb_log_ndtr,
                                              gb_mills,
                                              gb_ndtri,
                                              gb_mills_excess,
                                              gb_ndtri_exp,
                                              gb_i0e,
                                              gb_i1e,
                                              gb_relu,
                                              gb_gelu,
                                              gb_silu,
                                              gb_log1p_square,
                                              gb_exp_excess,
                                              gb_log_less_digamma,
                                              gb_log_gamma_step,
                                              gb_gamma_rest,
                                              gb_von_mises_spread,
                                              gb_normal_density};
    const gb_node x = gb_input(p->t, "x", gb_shape(EDGE_COUNT));
    gb_feed(x, EDGES, 1);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const gb_node y = all[i](x);
        keep(p, y);
        keep_gradient(p, gb_sum(y), x);
    }
    look_at_kept(p, 1);
}

static void edges_of_two_arguments(probe *p)
{
    static gb_node (*const all[])(gb_node, gb_node) = {gb_add,
                                                       gb_sub,
                                                       gb_mul,
                                                       gb_div,
                                                       gb_pow,
                                                       gb_atan2,
                                                       gb_max,
                                                       gb_min,
                                                       gb_gap,
                                                       gb_chain,
                                                       gb_logaddexp,
                                                       gb_share,
                                                       gb_xlogy,
                                                       gb_xlog1py,
                                                       gb_deviance,
                                                       gb_misfit,
                                                       gb_ratio_excess,
                                                       gb_misfit_slope,
                                                       gb_log_bernoulli,
                                                       gb_scale_divergence,
                                                       gb_less,
                                                       gb_less_equal,
                                                       gb_equal,
                                                       gb_gamma_p,
                                                       gb_gamma_q,
                                                       gb_lbeta,
                                                       gb_poisson_quantile,
                                                       gb_gamma_p_inverse,
                                                       gb_gamma_q_inverse,
                                                       gb_von_mises_cdf};
    const gb_node x = gb_input(p->t, "x", gb_shape(EDGE_COUNT, 1)),
                  y = gb_input(p->t, "y", gb_shape(EDGE_COUNT));
    gb_feed(x, EDGES, 1);
    gb_feed(y, EDGES, 1);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        keep(p, all[i](x, y));
        look_at_kept(p, 1);
    }
}

/* Where inverses of distribution functions begin, and where series are left for others. */
static void edges_of_special_functions(probe *p)
{
    static const double SHAPES[] = {1e-6, 1e-3, 0.25, 1, 3, 40, 1e4, 1e7},
                        RANKS[] = {1e-40, 1e-9, 0.01, 0.5, 0.99, 1};
    static gb_node (*const inverse[])(gb_node, gb_node, gb_node) = {gb_beta_i_inverse, gb_beta_i,
                                                                    gb_beta_draw_slope_a};
    const gb_node a = gb_constant(p->t, gb_shape(8, 1, 1), gb_values_of(SHAPES, 8));
    const gb_node b = gb_constant(p->t, gb_shape(8, 1), gb_values_of(SHAPES, 8));
    const gb_node u = gb_constant(p->t, gb_shape(6), gb_values_of(RANKS, 6));
    for (int i = 0; i < 3; i++)
        keep(p, inverse[i](a, b, u));
    keep(p, gb_gamma_p_inverse(a, u));
    keep(p, gb_gamma_q_inverse(a, u));
    keep(p, gb_gamma_draw_slope(a, gb_log(b)));
    keep(p, gb_kumaraswamy_log_rest(a, b));
    keep(p, gb_digamma_difference(a, b));
    keep(p, gb_stirling_bregman(a, b));
    keep(p, gb_log_gamma_bregman(a, b));
    keep(p, gb_von_mises_spread(a));
    keep(p, gb_von_mises_spread_slope(a));
    look_at_kept(p, 1);
}

/* clang-format off */
#define SPECIAL_PROGRAMS                                                                                     \
    PROGRAM("edges/of-one-argument", edges_of_one_argument),                                                 \
    PROGRAM("edges/of-two-arguments", edges_of_two_arguments),                                               \
    PROGRAM("edges/of-special-functions", edges_of_special_functions),                                       \
    PROGRAM("special/gamma", special_gamma),                                                                 \
    PROGRAM("special/log-gamma", special_log_gamma),                                                         \
    PROGRAM("special/beta", special_beta),                                                                   \
    PROGRAM("special/von-Mises", special_von_mises),                                                         \
    PROGRAM("special/Kumaraswamy", special_kumaraswamy),                                                     \
    PROGRAM("special/quantiles-of-counts", special_quantiles_of_counts),                                     \
    PROGRAM("special/normal-interval", special_normal_interval)
/* clang-format on */

#endif
