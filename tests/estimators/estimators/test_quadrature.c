/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss–Hermite quadrature: known nodes, costs that it has exactly, and what it rejects. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/expect.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "estimators/trial.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/scan.h"

static const double MU = 0.6, SIGMA = 0.8;

/* ---- the rule ---- */

TEST(nodes_and_weights_are_the_known_ones)
{
    double node[GB_HERMITE_MOST], weight[GB_HERMITE_MOST];
    gb_hermite_rule(1, node, weight);
    assert_true(node[0] == 0 && weight[0] == 1);
    gb_hermite_rule(2, node, weight);
    assert_close(node[1], 1, 2), assert_close(weight[1], 0.5, 2), assert_close(node[0], -1, 2);
    gb_hermite_rule(3, node, weight);
    assert_close(node[2], sqrt(3), 2), assert_close(weight[2], 1. / 6, 4);
    assert_true(node[1] == 0), assert_close(weight[1], 2. / 3, 4);
    gb_hermite_rule(4, node, weight);
    assert_close(node[3], sqrt(3 + sqrt(6)), 4), assert_close(weight[3], 1 / (4 * (3 + sqrt(6))), 16);
    assert_close(node[2], sqrt(3 - sqrt(6)), 4), assert_close(weight[2], 1 / (4 * (3 - sqrt(6))), 16);
    gb_hermite_rule(5, node, weight);
    assert_close(node[4], sqrt(5 + sqrt(10)), 4), assert_close(node[3], sqrt(5 - sqrt(10)), 4);
    assert_close(weight[2], 8. / 15, 8);
}

/* E x^2k = (2k − 1)!!, up to twice the number of nodes. */
TEST(moments_below_twice_the_nodes_are_exact)
{
    static const int counts[] = {1, 2, 7, 20, 64, 255, 256};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double node[GB_HERMITE_MOST], weight[GB_HERMITE_MOST], should = 1;
        const int n = counts[i];
        gb_hermite_rule(n, node, weight);
        for (int k = 0; k < n && k < 60; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += weight[j] * pow(node[j], 2 * k);
            if (fabs(sum - should) > 1e-12 * should)
                fail_msg("%d nodes: moment %d is %.17g, not %.17g", n, 2 * k, sum, should);
            should *= 2 * k + 1;
        }
        for (int j = 1; j < n; j++)
            assert_true(node[j] > node[j - 1] && node[j] == -node[n - 1 - j]);
    }
}

/* ---- expectations ---- */

typedef struct under {
    gb_tape *t;
    gb_expect *e;
    gb_node mu, sigma;
} under;

static under begin(void)
{
    under u = {.t = test_tape(.seed = 1)};
    u.e = gb_expect_new(u.t);
    u.mu = gb_variable(u.t, "mu", gb_shape(), gb_fill(MU));
    u.sigma = gb_variable(u.t, "sigma", gb_shape(), gb_fill(SIGMA));
    return u;
}

/* Value, gradients in mu and sigma, and the second in both. */
static void is_exactly(under u, gb_node cost, double value, double of_mu, double of_sigma, double mixed)
{
    const gb_node loss = gb_expected(u.e, cost), g = gb_grad(loss, u.mu);
    const gb_node all[] = {loss, g, gb_grad(loss, u.sigma), gb_grad(g, u.sigma)};
    assert_fine(u.t);
    gb_program *p = gb_compile(u.t, (gb_node_list){.count = 4, .node = all}, gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    const double should[] = {value, of_mu, of_sigma, mixed};
    for (int i = 0; i < 4; i++)
        if (!near(gb_value(all[i]), should[i]))
            fail_msg("%d: %.17g, not %.17g", i, gb_value(all[i]), should[i]);
}

/* E z⁴ = μ⁴ + 6 μ² σ² + 3 σ⁴ with three nodes; E cos 2z and E e^z with as many as there are by default. */
TEST(gradients_are_exact)
{
    const double m = MU, s = SIGMA;
    under u = begin();
    gb_node z = gb_draw(u.e, "z", gb_normal(u.mu, u.sigma), gb_quadrature(.nodes = 3));
    is_exactly(u, gb_square(gb_square(z)), pow(m, 4) + 6 * m * m * s * s + 3 * pow(s, 4),
               4 * pow(m, 3) + 12 * m * s * s, 12 * m * m * s + 12 * pow(s, 3), 24 * m * s);
    u = begin();
    z = gb_draw(u.e, "z", gb_normal(u.mu, u.sigma), gb_quadrature());
    const double f = exp(-2 * s * s);
    is_exactly(u, gb_cos(gb_scale(z, 2)), f * cos(2 * m), -2 * f * sin(2 * m), -4 * s * f * cos(2 * m),
               8 * s * f * sin(2 * m));
    u = begin();
    z = gb_draw(u.e, "z", gb_lognormal(u.mu, u.sigma), gb_quadrature());
    const double mean = exp(m + s * s / 2);
    is_exactly(u, z, mean, mean, s * mean, s * mean);
}

TEST(what_is_made_of_normals_is_exact_too)
{
    under u = begin();
    const gb_dist exp_normal = gb_transformed(gb_normal(u.mu, u.sigma), gb_exponential_transform(u.t));
    const double m = MU, s = SIGMA, mean = exp(m + s * s / 2);
    is_exactly(u, gb_draw(u.e, "z", exp_normal, gb_quadrature()), mean, mean, s * mean, s * mean);
    u = begin();
    const gb_node zero = gb_num(u.t, 0), one = gb_num(u.t, 1);
    const gb_node rows[] = {gb_stack(2, (const gb_node[]){u.sigma, zero}, 0),
                            gb_stack(2, (const gb_node[]){u.mu, one}, 0)};
    const gb_dist vector =
        gb_multivariate_normal(gb_stack(2, (const gb_node[]){u.mu, one}, 0), gb_stack(2, rows, 0));
    const gb_node z = gb_draw(u.e, "z", vector, gb_quadrature(.nodes = 5));
    /* E (z₁ z₂)² with z₁ = μ + σ a, z₂ = 1 + μ a + b: E (μ + σ a)² (2 + 2 μ a + μ² a²). */
    const double value = 2 * m * m + 2 * s * s + 4 * m * m * s + m * m * (m * m + 3 * s * s);
    is_exactly(u, gb_square(gb_prod(z)), value, 4 * m + 8 * m * s + 4 * pow(m, 3) + 6 * m * s * s,
               4 * s + 4 * m * m + 6 * m * m * s, 8 * m + 12 * m * s);
}

/* Three numbers, four nodes each: E (Σ z)⁴ of a normal with 3 μ and √3 σ. */
TEST(a_batch_is_a_grid)
{
    under u = begin();
    const gb_node each = gb_broadcast(u.mu, gb_shape(3));
    const gb_node z = gb_draw(u.e, "z", gb_normal(each, u.sigma), gb_quadrature(.nodes = 4));
    const double m = 3 * MU, s = SIGMA * SIGMA;
    is_exactly(u, gb_square(gb_square(gb_sum(z))), pow(m, 4) + 18 * m * m * s + 27 * s * s,
               3 * (4 * pow(m, 3) + 36 * m * s), 36 * m * m * SIGMA + 108 * s * SIGMA, 3 * 72 * m * SIGMA);
}

/* y ~ N(z, σ) of z ~ N(μ, σ): E (z y)² = E z⁴ + σ² E z². */
TEST(dependent_draws_multiply)
{
    const double m = MU, s = SIGMA;
    under u = begin();
    const gb_node z = gb_draw(u.e, "z", gb_normal(u.mu, u.sigma), gb_quadrature(.nodes = 5));
    const gb_node y = gb_draw(u.e, "y", gb_normal(z, u.sigma), gb_quadrature(.nodes = 4));
    is_exactly(u, gb_square(gb_mul(z, y)), pow(m, 4) + 7 * m * m * s * s + 4 * pow(s, 4),
               4 * pow(m, 3) + 14 * m * s * s, 14 * m * m * s + 16 * pow(s, 3), 28 * m * s);
}

TEST(each_row_has_a_sum_of_its_own)
{
    static const double data[] = {1, -2, 0.5};
    double should = 0;
    under u = begin();
    const gb_node x = gb_input_rows(u.t, "x", gb_shape());
    const gb_node z = gb_draw(u.e, "z", gb_normal(gb_mul(u.mu, x), u.sigma), gb_quadrature(.nodes = 4));
    const gb_node g = gb_grad(gb_expected(u.e, gb_sum_over(gb_square(gb_square(z)), GB_ROWS)), u.mu);
    gb_program *p = gb_compile(u.t, gb_roots(g), gb_no_update);
    gb_feed(x, data, 3);
    assert_int_equal(gb_run(p), GB_OK);
    for (int i = 0; i < 3; i++)
        should += data[i] * (4 * pow(MU * data[i], 3) + 12 * MU * data[i] * SIGMA * SIGMA);
    assert_true(near(gb_value(g), should));
    gb_expected(u.e, gb_square(gb_sum_over(z, GB_ROWS)));
    assert_rejected(u.t, GB_EARGUMENT, "quadrature needs a cost that is a sum over rows");
}

TEST(what_does_not_fit_is_rejected)
{
    under u = begin();
    gb_draw(u.e, "a", gb_gamma(u.mu, u.sigma), gb_quadrature());
    assert_rejected(u.t, GB_EARGUMENT, "quadrature needs a way to make it of normals; gamma has none");
    gb_draw(u.e, "b", gb_normal(gb_zeros(u.t, gb_shape(4)), u.sigma), gb_quadrature());
    assert_rejected(u.t, GB_ELIMIT, "draw b: quadrature: 64 values to the power of 4 are more than 1048576");
    gb_draw(u.e, "c", gb_normal(u.mu, u.sigma), gb_quadrature(.nodes = 257));
    assert_rejected(u.t, GB_EARGUMENT,
                    "draw c: quadrature: nodes is 257, and must be a whole number from 1 to 256");
    gb_draw(u.e, "d", gb_normal(u.mu, u.sigma), gb_quadrature(.nodes = 2.5));
    assert_rejected(u.t, GB_EARGUMENT, "whole number");
}
