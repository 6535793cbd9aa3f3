/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of special functions in their shapes, beyond those that
 * tests/ops/test_derivatives.c takes, and what is rejected. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/special.h"

/* ---- derivatives in shapes ---- */

typedef gb_node in_three(gb_node a, gb_node b, gb_node x);

static gb_node lower_gamma(gb_node a, gb_node b, gb_node x)
{
    (void)b;
    return gb_gamma_p(a, x);
}

static gb_node upper_gamma(gb_node a, gb_node b, gb_node x)
{
    (void)b;
    return gb_gamma_q(a, x);
}

static gb_node gamma_quantile(gb_node a, gb_node b, gb_node x)
{
    (void)b;
    return gb_gamma_p_inverse(a, x);
}

TEST(derivatives_in_shapes_are_those_of_differences)
{
    static in_three *const tested[] = {lower_gamma, upper_gamma, gamma_quantile, gb_beta_i,
                                       gb_beta_i_inverse};
    static const double place[][3] = {{0.4, 3, 0.2}, {2, 0.7, 0.6}, {7, 20, 0.35}, {40, 9, 0.9}};
    const double step = 0x1p-12;
    for (size_t f = 0; f < sizeof tested / sizeof *tested; f++)
        for (size_t i = 0; i < sizeof place / sizeof *place; i++)
            for (size_t shape = 0; shape < 2; shape++) {
                gb_tape *const tape = test_tape();
                gb_node arg[3];
                for (size_t k = 0; k < 3; k++)
                    arg[k] = gb_variable(tape, k ? k == 1 ? "b" : "x" : "a", gb_shape(),
                                         gb_values_of(&place[i][k], 1));
                const gb_node y = tested[f](arg[0], arg[1], arg[2]);
                const double slope = gb_value(gb_grad(y, arg[shape]));
                double difference = 0;
                static const double weight[] = {1, -8, 8, -1}, at[] = {-2, -1, 1, 2};
                for (int k = 0; k < 4; k++) {
                    const double moved = place[i][shape] + at[k] * step;
                    gb_set(arg[shape], gb_values_of(&moved, 1));
                    difference += weight[k] * gb_value(y) / (12 * step);
                }
                assert_fine(tape);
                if (!(fabs(slope - difference) < 1e-8 * (1e-3 + fabs(difference))))
                    fail_msg("function %zu, place %zu, shape %zu: %.12g, not %.12g", f, i, shape, slope,
                             difference);
            }
}

/* ---- what is rejected ---- */

TEST(second_derivatives_in_shapes_are_rejected_by_name)
{
    const gb_node a = gb_variable(t, "a", gb_shape(), GB_VALUES(2)),
                  b = gb_variable(t, "b", gb_shape(), GB_VALUES(3));
    const gb_node x = gb_variable(t, "x", gb_shape(), GB_VALUES(0.5));
    gb_grad(gb_grad(gb_gamma_p(a, x), a), a);
    assert_rejected(t, GB_EGRADIENT, "gamma_p_slope has no derivative in its shape");
    gb_grad(gb_grad(gb_beta_i(a, b, x), a), b);
    assert_rejected(t, GB_EGRADIENT, "beta_i_slope_a has no derivative in its shapes");
    gb_grad(gb_grad(gb_beta_i(a, b, x), b), a);
    assert_rejected(t, GB_EGRADIENT, "beta_i_slope_b has no derivative in its shapes");
    gb_grad(gb_grad(gb_gamma_p_inverse(a, x), a), a);
    assert_rejected(t, GB_EGRADIENT, "gamma_draw_slope has no derivative");
    gb_grad(gb_grad(gb_beta_i_inverse(a, b, x), a), a);
    assert_rejected(t, GB_EGRADIENT, "beta_draw_slope_a has no derivative");
    gb_grad(gb_gamma_draw_slope(a, x), x);
    assert_rejected(t, GB_EGRADIENT, "gamma_draw_slope has no derivative");
    gb_grad(gb_grad(gb_von_mises_cdf(a, x), x), x);
    assert_rejected(t, GB_EGRADIENT, "von_mises_cdf can be differentiated once only");
    gb_grad(gb_von_mises_draw_slope(a, x), a);
    assert_rejected(t, GB_EGRADIENT, "von_mises_draw_slope has no derivative");
    gb_grad(gb_von_mises_density(a, x), a);
    assert_rejected(t, GB_EGRADIENT, "von_mises_density has no derivative");
}

TEST(mixed_derivatives_are_allowed_and_agree)
{
    const gb_node a = gb_variable(t, "a", gb_shape(), GB_VALUES(2)),
                  b = gb_variable(t, "b", gb_shape(), GB_VALUES(3));
    const gb_node x = gb_variable(t, "x", gb_shape(), GB_VALUES(0.25));
    const gb_node p = gb_gamma_p(a, x), i = gb_beta_i(a, b, x);
    assert_close(gb_value(gb_grad(gb_grad(p, a), x)), gb_value(gb_grad(gb_grad(p, x), a)), 8);
    assert_close(gb_value(gb_grad(gb_grad(i, a), x)), gb_value(gb_grad(gb_grad(i, x), a)), 8);
    assert_close(gb_value(gb_grad(gb_grad(i, b), x)), gb_value(gb_grad(gb_grad(i, x), b)), 8);
    assert_fine(t);
}

TEST(an_order_of_polygamma_must_be_one)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), GB_VALUES(2));
    assert_false(gb_node_ok(gb_polygamma(-1, x)));
    assert_rejected(t, GB_EARGUMENT, "polygamma: the order -1 is not one of 0");
    gb_polygamma(101, x);
    assert_rejected(t, GB_EARGUMENT, "polygamma: the order 101");
    assert_false(gb_node_ok(gb_polygamma(1, (gb_node){0})));
    gb_polygamma(1, (gb_node){.tape = t, .id = 1000});
    assert_rejected(t, GB_ENODE, "polygamma");
}
