/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations with the value of one node and the gradient of another. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

TEST(stop_has_the_value_and_no_gradient)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2));
    assert_values(gb_stop(x), 1, 2);
    assert_values(gb_grad(gb_sum(gb_stop(x)), x), 0, 0);
    assert_values(gb_grad(gb_sum(gb_mul(x, gb_stop(x))), x), 1, 2);
}

TEST(inject_adds_a_times_the_gradient_of_l)
{
    const gb_node p = gb_variable(t, "p", gb_shape(), gb_fill(2)),
                  a = gb_variable(t, "a", gb_shape(), gb_fill(5));
    const gb_node y = gb_inject(gb_square(p), gb_log(p), a);
    const gb_node by_p = gb_grad(y, p), by_a = gb_grad(y, a);
    assert_values(y, 4);
    assert_values(by_p, 2 * 2 + 5. / 2);
    assert_values(by_a, 0);                  /* through the value a gets none … */
    assert_values(gb_grad(by_p, a), 1. / 2); /* … and is live in the gradient */
    assert_values(gb_grad(by_p, p), 2 - 5. / 4);
    const gb_node own = gb_inject(gb_square(p), gb_log(p), gb_scale(p, 3));
    assert_values(gb_grad(own, p), 4 + 3);
    assert_values(gb_grad(gb_grad(own, p), p), 2); /* the derivative of 2p + (3p)(1/p) */
}

TEST(inject_sums_over_the_elements_of_l, .samples = 2)
{
    const gb_node p = gb_variable(t, "p", gb_shape(3), GB_VALUES(1, 2, 4)), x = gb_num(t, 7);
    const gb_node one_a = gb_inject(x, gb_square(p), gb_num(t, 10));
    assert_values(one_a, 7);
    assert_values(gb_grad(one_a, p), 20, 40, 80);
    const gb_node each_a = gb_inject(x, gb_square(p), gb_constant(t, gb_shape(3), GB_VALUES(1, 0, -1)));
    assert_values(gb_grad(each_a, p), 2, 0, -8);
    /* l and a differ along the samples, x does not: its value is repeated, its gradient counted for each */
    const gb_node index = gb_axis_index(t, GB_SAMPLES);
    const gb_node q = gb_variable(t, "q", gb_shape(), gb_fill(3));
    const gb_node sampled = gb_inject(gb_scale(q, 5), gb_mul(q, gb_shift(index, 1)), gb_shift(index, 10));
    assert_values(sampled, 15, 15);
    assert_values(gb_grad(gb_sum_over(sampled, GB_SAMPLES), q), 5 + 5 + 10 * 1 + 11 * 2);
}

TEST(an_injected_adjoint_of_zero_stays_zero)
{
    const gb_node p = gb_variable(t, "p", gb_shape(2), GB_VALUES(0, 1));
    const gb_node y =
        gb_inject(gb_ones(t, gb_shape(2)), gb_log(p), gb_constant(t, gb_shape(2), GB_VALUES(0, 2)));
    assert_values(gb_grad(gb_sum(y), p), 0, 2);
    const gb_node infinite = gb_inject(gb_ones(t, gb_shape(2)), p, gb_num(t, -INFINITY));
    assert_values(gb_grad(gb_sum(gb_mul(gb_constant(t, gb_shape(2), GB_VALUES(0, 1)), infinite)), p), 0,
                  -INFINITY);
}

/* E f = Σ_b q(b) f(b, θ) of a Bernoulli b with logit θ, where f itself depends on θ. */
static gb_node cost(gb_node theta, double b)
{
    return b == 1 ? gb_exp(gb_scale(theta, 0.3)) : gb_tanh(gb_shift(theta, 1));
}

static gb_node log_q(gb_node theta, double b)
{
    return b == 1 ? gb_log_sigmoid(theta) : gb_log_sigmoid(gb_neg(theta));
}

TEST(inject_score_is_exact_to_every_order_in_expectation)
{
    for (double at = -1.5; at < 2; at += 0.75) {
        gb_tape *const tape = test_tape();
        const gb_node theta = gb_variable(tape, "theta", gb_shape(), gb_fill(at));
        gb_node exact = gb_num(tape, 0), estimate = gb_num(tape, 0);
        for (int b = 0; b < 2; b++) { /* the draws are stopped: only the score carries their law */
            const gb_node f = cost(theta, b), l = log_q(theta, b);
            exact = gb_add(exact, gb_mul(gb_exp(l), f));
            estimate = gb_add(estimate, gb_mul(gb_stop(gb_exp(l)), gb_inject_score(f, l, f)));
        }
        for (int order = 0; order < 4; order++) {
            assert_close(gb_value(estimate), gb_value(exact), 64);
            exact = gb_grad(exact, theta);
            estimate = gb_grad(estimate, theta);
        }
    }
}

/* With a baseline the first gradient keeps its expectation too. */
TEST(inject_score_takes_a_baseline)
{
    const gb_node theta = gb_variable(t, "theta", gb_shape(), gb_fill(0.4));
    gb_node exact = gb_num(t, 0), estimate = gb_num(t, 0);
    for (int b = 0; b < 2; b++) {
        const gb_node f = cost(theta, b), l = log_q(theta, b);
        exact = gb_add(exact, gb_mul(gb_exp(l), f));
        estimate = gb_add(estimate, gb_mul(gb_stop(gb_exp(l)), gb_inject_score(f, l, gb_shift(f, -17))));
    }
    assert_close(gb_value(estimate), gb_value(exact), 8);
    assert_close(gb_value(gb_grad(estimate, theta)), gb_value(gb_grad(exact, theta)), 256);
}

TEST(gradient_only_is_zero_with_a_gradient)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2)), y = gb_gradient_only(gb_square(x));
    assert_values(y, 0, 0);
    assert_values(gb_grad(gb_sum(y), x), 2, 4);
    assert_values(gb_grad(gb_sum(gb_grad(gb_sum(y), x)), x), 2, 2);
    const gb_node infinite = gb_gradient_only(gb_log(gb_sub(x, x)));
    assert_values(infinite, 0, 0); /* −inf is never added */
}

/* A value that is known to be 0 or 1 must not be left out of sums and products: it has a gradient. */
TEST(what_has_a_gradient_is_not_taken_for_a_number)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2)), l = gb_square(x);
    const gb_node nothing = gb_gradient_only(l), one = gb_inject(gb_ones(t, gb_shape(2)), l, gb_num(t, 1));
    double value;
    assert_false(gb_is_uniform(nothing, &value));
    assert_values(gb_grad(gb_sum(gb_sub(x, nothing)), x), 1 - 2, 1 - 4);
    assert_values(gb_grad(gb_sum(gb_add(nothing, x)), x), 1 + 2, 1 + 4);
    assert_values(gb_grad(gb_sum(gb_mul(x, one)), x), 1 + 1 * 2, 1 + 2 * 4);
    assert_values(gb_grad(gb_sum(gb_div(x, one)), x), 1 - 1 * 2, 1 - 2 * 4);
    assert_values(gb_grad(gb_sum(gb_inject(gb_zeros(t, gb_shape(2)), x, nothing)), x), 0, 0);
    const gb_node first = gb_grad(gb_sum(gb_inject(gb_zeros(t, gb_shape(2)), x, nothing)), x);
    assert_values(gb_grad(gb_sum(first), x), 2, 4);
}

/* Straight through a step: the value of a comparison, the gradient of a sigmoid. */
static void straight_vjp(const gb_vjp *v)
{
    const gb_node x = v->arg[1];
    v->adjoint[1] = gb_chain(v->gradient, gb_mul(gb_sigmoid(x), gb_sigmoid(gb_neg(x))));
}

TEST(a_derivative_of_ones_own_replaces_that_of_the_value)
{
    static const gb_op straight_op = {.size = sizeof(gb_op),
                                      .name = "straight",
                                      .formula = "a step, with the gradient of a sigmoid",
                                      .form = GB_FORM_ALIAS,
                                      .arguments = 2,
                                      .infer = gb_infer_first,
                                      .vjp = straight_vjp};
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(-1, 3));
    const gb_node step = gb_stop(gb_to_real(gb_greater(x, gb_num(t, 0))));
    const gb_node y = gb_with_vjp(&straight_op, gb_add(step, gb_zeros(t, gb_shape(2))), 1, &x, NULL, 0);
    assert_values(y, 0, 1);
    const double slope[] = {exp(-1) / pow(1 + exp(-1), 2), exp(-3) / pow(1 + exp(-3), 2)};
    const gb_node gradient = gb_grad(gb_sum(y), gb_named(x, "x"));
    assert_values(gradient, slope[0], slope[1]);
    assert_fine(t);
    gb_node many[16];
    for (int i = 0; i < 16; i++)
        many[i] = x;
    assert_false(gb_node_ok(gb_with_vjp(&straight_op, y, 16, many, NULL, 0)));
    assert_rejected(t, GB_ELIMIT, "straight: at most 15 inputs, not 16");
}

TEST(a_gradient_across_an_open_draw_is_rejected_until_it_is_closed)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(3));
    const gb_node drawn = gb_open_draw(gb_square(x));
    const gb_node later = gb_mul(gb_stop(drawn), x);
    assert_values(later, 27);
    assert_false(gb_node_ok(gb_grad(drawn, x)));
    assert_rejected(t, GB_EGRADIENT, "depends on a draw outside an expectation");
    assert_false(gb_node_ok(gb_grad(later, x))); /* through a stopped value, too */
    assert_rejected(t, GB_EGRADIENT, "depends on a draw outside an expectation");
    const gb_node closed = gb_close_draws(gb_mul(drawn, x));
    assert_values(gb_grad(closed, x), 27);
    assert_values(gb_grad(gb_grad(gb_exp(gb_scale(closed, 0)), x), x), 0);
    const gb_node opened_again = gb_add(closed, gb_open_draw(x));
    assert_false(gb_node_ok(gb_grad(opened_again, x)));
    assert_rejected(t, GB_EGRADIENT, "add depends on a draw");
}

TEST(aliases_cost_nothing)
{
    gb_plan_facts plain, aliased;
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2)), l = gb_log(gb_exp(gb_tanh(x)));
    const gb_node y = gb_square(x),
                  all = gb_close_draws(gb_open_draw(gb_inject(gb_stop(gb_inject_score(y, l, l)), l, l)));
    gb_program_plan(gb_compile(t, gb_roots(y), gb_no_update), &plain);
    gb_program_plan(gb_compile(t, gb_roots(all), gb_no_update), &aliased);
    assert_int_equal(aliased.nodes, plain.nodes);
    assert_int_equal(aliased.instructions, plain.instructions);
}
