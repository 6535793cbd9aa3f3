/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of special functions in their shapes, beyond those that
 * tests/ops/test_derivatives.c takes, and what is rejected. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/elementwise.h"
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

typedef struct slope_case {
    const char *name;
    gb_node (*of)(gb_node x);
    double at;
    int order;
    double should, float_tolerance;
} slope_case;

/* Derivatives that are small differences of large terms, in doubles and floats. */
TEST(slopes_far_out_do_not_cancel)
{
    static const slope_case cases[] = {
        {"i0e", gb_i0e, 0.5, 1, -0.48861446726427837, 1e-5},
        {"i0e", gb_i0e, 0.5, 2, 0.66438732815881335, 3e-5},
        {"i1e", gb_i1e, 0.5, 1, 0.17577286089453498, 1e-5},
        {"i0e", gb_i0e, 8, 1, -0.0092892885641521324, 1e-5},
        {"i0e", gb_i0e, 8, 2, 0.0018107654667169925, 3e-5},
        {"i1e", gb_i1e, 8, 1, -0.0074785230974351399, 1e-5},
        {"i0e", gb_i0e, 10000, 1, -1.9947862106984188e-7, 1e-5},
        {"i0e", gb_i0e, 10000, 2, 2.9922541317535869e-11, 3e-5},
        {"i1e", gb_i1e, 10000, 1, -1.9944869852852435e-7, 1e-5},
        {"i0e", gb_i0e, 1000000, 1, -1.9947121500246404e-10, 1e-5},
        {"i0e", gb_i0e, 1000000, 2, 2.9920689730551389e-16, 3e-5},
        {"i1e", gb_i1e, 1000000, 1, -1.9947091579556674e-10, 1e-5},
        {"mills_excess", gb_mills_excess, -10, 1, 0.0094453778256562612, 2e-5},
        {"mills_excess", gb_mills_excess, -14, 1, 0.0049521659117837485, 2e-5},
        {"mills_excess", gb_mills_excess, -16, 1, 0.0038175623701787832, 2e-5},
        {"mills_excess", gb_mills_excess, -59, 1, 0.0002867797964499071, 2e-5},
        {"mills_excess", gb_mills_excess, -61, 1, 0.00026831258570418068, 2e-5},
        {"mills_excess", gb_mills_excess, -1000, 1, 9.9999400004999948e-7, 2e-5},
        {"mills_excess", gb_mills_excess, -1000000, 1, 9.9999999999400000000005e-13, 2e-5},
    };
    (void)t;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const slope_case *const c = &cases[i / 2];
        gb_tape *const tape = test_tape(.real = i % 2 ? GB_FLOAT : GB_DOUBLE);
        const gb_node x = gb_variable(tape, "x", gb_shape(), gb_fill(c->at));
        gb_node y = c->of(x);
        for (int k = 0; k < c->order; k++)
            y = gb_grad(y, x);
        const double is = gb_value(y);
        if (!(fabs(is / c->should - 1) <= (i % 2 ? c->float_tolerance : 1e-11)))
            fail_msg("derivative %d of %s at %g: %.17g, not %.17g", c->order, c->name, c->at, is, c->should);
    }
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
