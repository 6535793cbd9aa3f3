/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients where a formula alone would go wrong: at kinks, at infinities,
 * and where an adjoint of zero meets them. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/special.h"

/* The gradients of Σ f(x) at these numbers. */
#define assert_gradient(f, x, ...)                                                                           \
    do {                                                                                                     \
        gb_tape *t_ = gb_tape_new(.threads = 1);                                                             \
        const gb_values at_ = x;                                                                             \
        const gb_node x_ = gb_variable(t_, "x", gb_shape((int64_t)at_.count), at_);                          \
        assert_values(gb_grad(gb_sum(f(x_)), x_), __VA_ARGS__);                                              \
        gb_tape_free(t_);                                                                                    \
    } while (0)

static gb_node num(gb_node x, double value)
{
    return gb_num(x.tape, value);
}

static gb_node log_where_positive(gb_node x)
{
    return gb_where(gb_greater(x, num(x, 0)), gb_log(x), num(x, 0));
}

static gb_node root_where_positive(gb_node x)
{
    return gb_where(gb_greater(x, num(x, 0)), gb_sqrt(x), gb_scale(x, 2));
}

static gb_node entropy(gb_node p)
{
    return gb_where(gb_greater(p, num(p, 0)), gb_mul(p, gb_log(p)), num(p, 0));
}

TEST(a_choice_that_is_not_taken_has_no_gradient_even_where_it_is_infinite_or_nan)
{
    assert_gradient(log_where_positive, GB_VALUES(0, 2, -1, -0.0), 0, 0.5, 0, 0);
    assert_gradient(root_where_positive, GB_VALUES(0, 4, -1), 2, 0.25, 2);
    assert_gradient(entropy, GB_VALUES(0, 1), 0, 1);
}

TEST(a_second_gradient_keeps_the_rule)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(0, 2, -1));
    const gb_node first = gb_grad(gb_sum(log_where_positive(x)), x);
    assert_values(gb_grad(gb_sum(first), x), 0, -0.25, 0);
    const gb_node roots = gb_grad(gb_sum(root_where_positive(x)), x);
    assert_values(gb_grad(gb_sum(gb_mul(roots, x)), x), 2, 0.25 / sqrt(2), 2);
}

/* ---- derivatives up to the third through branches that are not taken ---- */

static gb_node log_of_root(gb_node x)
{
    return gb_log(gb_sqrt(x));
}

static gb_node root_of_log(gb_node x)
{
    return gb_sqrt(gb_log(x));
}

static gb_node one_over_square(gb_node x)
{
    return gb_reciprocal(gb_square(x));
}

static gb_node log_of_log(gb_node x)
{
    return gb_log(gb_log(x));
}

static gb_node exp_of_reciprocal(gb_node x)
{
    return gb_exp(gb_reciprocal(x));
}

static gb_node power(gb_node x)
{
    return gb_pow(gb_square(x), num(x, 0.3));
}

static gb_node quotient(gb_node x)
{
    return gb_div(gb_sin(x), gb_mul(x, gb_log1p(x)));
}

static gb_node huge(gb_node x)
{
    return gb_exp(gb_exp(gb_shift(gb_abs(x), 300)));
}

static gb_node chain_of_four(gb_node x)
{
    return gb_square(gb_log(gb_mul(x, gb_sqrt(gb_square(x)))));
}

static gb_node nested(gb_node x)
{
    return gb_where(gb_greater(x, num(x, 5)), gb_log(gb_sqrt(x)), gb_sqrt(gb_log(x)));
}

static gb_node quantile(gb_node x)
{
    return gb_square(gb_ndtri(x));
}

static gb_node mixed(gb_node x)
{
    return gb_logaddexp(gb_log(x), gb_xlogy(gb_log(x), x));
}

static gb_node taken(gb_node x)
{
    return gb_exp(gb_scale(x, 0.7));
}

static gb_node around(gb_node choice, int which)
{
    return which == 0 ? choice : which == 1 ? gb_log(gb_shift(choice, 1)) : gb_square(gb_sin(choice));
}

static gb_node next_gradient(gb_node y, gb_node x)
{
    return gb_grad(gb_sum(y), x);
}

TEST(derivatives_of_every_order_leave_out_a_choice_that_is_not_taken)
{
    static gb_node (*const not_taken[])(gb_node) = {
        log_of_root, root_of_log, one_over_square, log_of_log, exp_of_reciprocal, power,
        quotient,    huge,        chain_of_four,   nested,     quantile,          mixed};
    enum { COUNT = sizeof not_taken / sizeof *not_taken, POINTS = 3 };
    size_t wrong = 0;
    for (size_t i = 0; i < 6 * COUNT; i++) {
        gb_tape *const tape = test_tape();
        const gb_node x = gb_variable(tape, "x", gb_shape(POINTS), GB_VALUES(0, -1, -2.5));
        const gb_node branch = not_taken[i / 6](x), yes = gb_greater(num(x, 0.5), x);
        const gb_node choice =
            i % 2 ? gb_where(yes, taken(x), branch) : gb_where(gb_not(yes), branch, taken(x));
        gb_node is = around(choice, (int)(i / 2 % 3)), should = around(taken(x), (int)(i / 2 % 3));
        for (int order = 1; order <= 3; order++) {
            double of_is[POINTS], of_should[POINTS];
            is = next_gradient(is, x);
            should = next_gradient(should, x);
            gb_read(is, of_is, POINTS);
            gb_read(should, of_should, POINTS);
            for (int k = 0; k < POINTS; k++)
                if (!(fabs(of_is[k] - of_should[k]) <= 1e-12 * (1 + fabs(of_should[k])))) {
                    print_error("case %zu, order %d, element %d: %g, not %g %s\n", i, order, k, of_is[k],
                                of_should[k], gb_error_text(tape));
                    wrong++;
                    break;
                }
        }
    }
    assert_int_equal(wrong, 0);
}

static gb_node times_infinity(gb_node x)
{
    return gb_mul(gb_relu(x), num(x, INFINITY));
}

static gb_node chained(gb_node x)
{
    return gb_chain(num(x, 0), gb_log(x));
}

TEST(an_adjoint_of_zero_stays_zero_against_an_infinite_derivative)
{
    assert_gradient(times_infinity, GB_VALUES(-1, 1), 0, INFINITY);
    assert_gradient(chained, GB_VALUES(0, -1, 3), 0, 0, 0);
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(0, 1));
    const gb_node weight = gb_variable(t, "weight", gb_shape(2), GB_VALUES(0, 3));
    const gb_node y = gb_sum(gb_mul(weight, gb_sqrt(x))); /* the adjoint of the root is 0 · … at x = 0 */
    assert_values(gb_grad(y, x), 0, 1.5);
}

static gb_node cube_by_pow(gb_node x)
{
    return gb_pow(x, num(x, 3));
}

static gb_node power_0(gb_node x)
{
    return gb_pow(x, gb_sub(gb_stop(x), gb_stop(x)));
}

static gb_node zero_to_a_power(gb_node y)
{
    return gb_pow(num(y, 0), y);
}

static gb_node leaky(gb_node x)
{
    return gb_leaky_relu(x, 0.25);
}

static gb_node leak_nothing(gb_node x)
{
    return gb_leaky_relu(x, 0);
}

static gb_node elu(gb_node x)
{
    return gb_elu(x, 3);
}

static gb_node clip(gb_node x)
{
    return gb_clip(x, -1, 1);
}

TEST(derivatives_at_kinks_are_those_that_the_headers_state)
{
    assert_gradient(gb_abs, GB_VALUES(0, -0.0, 2, -2), 0, 0, 1, -1);
    assert_gradient(gb_relu, GB_VALUES(0, -0.0, 2, -2), 0, 0, 1, 0);
    assert_gradient(gb_sqrt, GB_VALUES(0, 4), INFINITY, 0.25);
    assert_gradient(cube_by_pow, GB_VALUES(0, -2, 2), 0, 12, 12);
    assert_gradient(power_0, GB_VALUES(0, -2, 2), 0, 0, 0);
    assert_gradient(zero_to_a_power, GB_VALUES(1, 2.5), 0, 0);
    assert_gradient(clip, GB_VALUES(-2, 0, 2), 0, 1, 0);
    assert_gradient(gb_sign, GB_VALUES(-2, 0, 2), 0, 0, 0);
    assert_gradient(gb_floor, GB_VALUES(-2, 0.5, 2), 0, 0, 0);
    assert_gradient(leaky, GB_VALUES(-2, 0, 2), 0.25, 0.25, 1);
    assert_gradient(elu, GB_VALUES(-2, 0, 2000), 3 * exp(-2), 3, 1);
    assert_gradient(gb_i0e, GB_VALUES(0), 0);
    assert_gradient(gb_i1e, GB_VALUES(0), 0.5);
}

TEST(where_two_are_equal_the_derivative_goes_to_the_first)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)),
                  y = gb_variable(t, "y", gb_shape(3), GB_VALUES(2, 2, 2));
    assert_values(gb_grad(gb_sum(gb_max(x, y)), x), 0, 1, 1);
    assert_values(gb_grad(gb_sum(gb_max(x, y)), y), 1, 0, 0);
    assert_values(gb_grad(gb_sum(gb_min(x, y)), x), 1, 1, 0);
    assert_values(gb_grad(gb_sum(gb_min(x, y)), y), 0, 0, 1);
}

static gb_node maximum(gb_node x)
{
    return gb_maximum(x);
}

TEST(elements_that_attain_a_maximum_share_its_derivative)
{
    assert_gradient(maximum, GB_VALUES(1, 3, 3, 2, 3), 0, 1. / 3, 1. / 3, 0, 1. / 3);
    assert_gradient(maximum, GB_VALUES(-INFINITY, -INFINITY), 0.5, 0.5);
}

static gb_node tail(gb_node x)
{
    return gb_log_sigmoid(x);
}

TEST(derivatives_keep_their_digits_in_the_tails)
{
    assert_gradient(gb_softplus, GB_VALUES(-700, 700), exp(-700), 1);
    assert_gradient(tail, GB_VALUES(-700, 40), 1, exp(-40));
    assert_gradient(gb_sigmoid, GB_VALUES(-700, 40), exp(-700), exp(-40));
    assert_gradient(gb_tanh, GB_VALUES(20, -20), 4 * exp(-40), 4 * exp(-40));
    assert_gradient(gb_expm1, GB_VALUES(-40, 1), exp(-40), exp(1));
}

static gb_node smallest(gb_node x)
{
    return gb_logsumexp(x);
}

TEST(probabilities_of_minus_infinity_get_a_gradient_of_zero)
{
    assert_gradient(smallest, GB_VALUES(-INFINITY, 0, 0), 0, 0.5, 0.5);
    assert_gradient(smallest, GB_VALUES(-INFINITY, -INFINITY), 0, 0);
    assert_gradient(smallest, GB_VALUES(1e300, 0), 1, 0);
}

#define assert_values_of(f, x, ...)                                                                          \
    do {                                                                                                     \
        gb_tape *t_ = gb_tape_new(.threads = 1);                                                             \
        const gb_values at_ = x;                                                                             \
        assert_values(f(gb_variable(t_, "x", gb_shape((int64_t)at_.count), at_)), __VA_ARGS__);              \
        gb_tape_free(t_);                                                                                    \
    } while (0)

static gb_node to_int_and_back(gb_node x)
{
    return gb_to_real(gb_to_int(x));
}

TEST(activations_are_right_at_infinity)
{
    const double inf = INFINITY;
    assert_values_of(leaky, GB_VALUES(-inf, -2, 3, inf, NAN), -inf, -0.5, 3, inf, NAN);
    assert_values_of(leak_nothing, GB_VALUES(-inf, -2, 3), 0, 0, 3);
    assert_values_of(elu, GB_VALUES(-inf, -2, 3, inf, NAN), -3, 3 * expm1(-2), 3, inf, NAN);
    assert_values_of(gb_silu, GB_VALUES(-inf, 0, 1, inf, NAN), 0, 0, 1 / (1 + exp(-1)), inf, NAN);
    assert_values_of(gb_gelu, GB_VALUES(-inf, 0, -1, inf, NAN), 0, 0, -0.15865525393145705, inf, NAN);
}

TEST(reals_become_the_nearest_integers)
{
    assert_values_of(to_int_and_back, GB_VALUES(0.4, 0.5, 1.5, -0.6, -1e15, NAN), 0, 0, 2, -1, -1e15, 0);
    assert_values_of(to_int_and_back, GB_VALUES(INFINITY, -INFINITY, 1e300), 0x1p63 - 1024, -0x1p63,
                     0x1p63 - 1024);
    assert_gradient(to_int_and_back, GB_VALUES(1, 2), 0, 0);
}

TEST(a_product_with_a_logarithm_has_the_derivatives_that_the_header_states)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(0, 0, 2)),
                  y = gb_variable(t, "y", gb_shape(3), GB_VALUES(0, 3, 4));
    assert_values(gb_xlogy(x, y), 0, 0, 2 * log(4));
    assert_values(gb_grad(gb_sum(gb_xlogy(x, y)), x), -INFINITY, log(3), log(4));
    assert_values(gb_grad(gb_sum(gb_xlogy(x, y)), y), 0, 0, 0.5);
    const gb_node z = gb_shift(y, -1);
    assert_values(gb_grad(gb_sum(gb_xlog1py(x, z)), x), -INFINITY, log(3), log(4));
    assert_values(gb_grad(gb_sum(gb_xlog1py(x, z)), y), 0, 0, 0.5);
}

TEST(logaddexp_shares_its_derivative)
{
    const double inf = INFINITY;
    const gb_node x = gb_variable(t, "x", gb_shape(6), GB_VALUES(1, -inf, -inf, inf, inf, 700)),
                  y = gb_variable(t, "y", gb_shape(6), GB_VALUES(1, 2, -inf, 2, inf, 0));
    const gb_node sum = gb_sum(gb_logaddexp(x, y));
    assert_values(gb_grad(sum, x), 0.5, 0, 0, 1, 0.5, 1);
    assert_values(gb_grad(sum, y), 0.5, 1, 0, 0, 0.5, exp(-700));
    assert_values(gb_grad(gb_sum(gb_grad(sum, x)), x), 0.25, 0, 0, 0, 0.25, exp(-700));
}

/* At −z these are z + 1/z − …, and −1 + 1/z² − …. */
TEST(log_ndtr_has_two_derivatives_far_in_its_tail)
{
    const gb_node x = gb_variable(t, "x", gb_shape(4), GB_VALUES(-40, -1e4, -1e8, 50));
    const gb_node first = gb_grad(gb_sum(gb_log_ndtr(x)), x), second = gb_grad(gb_sum(first), x);
    assert_values(first, 40.024968847207264, 10000.000099999998, 1e8, 0);
    assert_values(second, -0.99937733162140861, -0.9999999900000006, -1, 0);
}

static gb_node trigamma_by_gradient(gb_node x)
{
    return gb_grad(gb_sum(gb_digamma(x)), x);
}

static gb_node tetragamma_by_gradient(gb_node x)
{
    return gb_grad(gb_sum(gb_trigamma(x)), x);
}

TEST(derivatives_of_the_gamma_function_go_on_to_the_third)
{
    const double pi = acos(-1), zeta_3 = 1.2020569031595942854;
    assert_values_of(trigamma_by_gradient, GB_VALUES(1, 2, 0.5), pi * pi / 6, pi * pi / 6 - 1, pi * pi / 2);
    assert_values_of(tetragamma_by_gradient, GB_VALUES(1, 2, 0.5, -0.5, 1e9, 0, -0.0, -1, INFINITY),
                     -2 * zeta_3, 2 - 2 * zeta_3, -14 * zeta_3, 16 - 14 * zeta_3, -1e-18 * (1 + 1e-9),
                     -INFINITY, INFINITY, NAN, 0);
    const gb_node x = gb_variable(t, "x", gb_shape(), GB_VALUES(2));
    gb_grad(tetragamma_by_gradient(x), x);
    assert_rejected(t, GB_EGRADIENT, "trigamma");
}

static gb_node zero_over(gb_node y)
{
    return gb_div(num(y, 0), y);
}

TEST(a_quotient_of_zero_has_a_gradient_of_zero_where_the_reciprocal_overflows)
{
    assert_gradient(zero_over, GB_VALUES(0x1p-1074, -0x1p-1074, 2), 0, 0, 0);
}
