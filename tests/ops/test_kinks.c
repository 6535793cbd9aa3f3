/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients where a formula alone would go wrong: at kinks, at infinities, and where an adjoint of zero meets them. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

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

static void a_choice_that_is_not_taken_has_no_gradient_even_where_it_is_infinite_or_nan(void **state)
{
    (void)state;
    assert_gradient(log_where_positive, GB_VALUES(0, 2, -1, -0.0), 0, 0.5, 0, 0);
    assert_gradient(root_where_positive, GB_VALUES(0, 4, -1), 2, 0.25, 2);
    assert_gradient(entropy, GB_VALUES(0, 1), 0, 1);
}

static void a_second_gradient_keeps_the_rule(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(0, 2, -1));
    const gb_node first = gb_grad(gb_sum(log_where_positive(x)), x);
    assert_values(gb_grad(gb_sum(first), x), 0, -0.25, 0);
    const gb_node roots = gb_grad(gb_sum(root_where_positive(x)), x);
    assert_values(gb_grad(gb_sum(gb_mul(roots, x)), x), 2, 0.25 / sqrt(2), 2);
    gb_tape_free(t);
}

static gb_node times_infinity(gb_node x)
{
    return gb_mul(gb_relu(x), num(x, INFINITY));
}

static gb_node chained(gb_node x)
{
    return gb_chain(num(x, 0), gb_log(x));
}

static void an_adjoint_of_zero_stays_zero_against_an_infinite_derivative(void **state)
{
    (void)state;
    assert_gradient(times_infinity, GB_VALUES(-1, 1), 0, INFINITY);
    assert_gradient(chained, GB_VALUES(0, -1, 3), 0, 0, 0);
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(0, 1));
    const gb_node weight = gb_variable(t, "weight", gb_shape(2), GB_VALUES(0, 3));
    const gb_node y = gb_sum(gb_mul(weight, gb_sqrt(x))); /* the adjoint of the root is 0 · … at x = 0 */
    assert_values(gb_grad(y, x), 0, 1.5);
    gb_tape_free(t);
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

static gb_node clip(gb_node x)
{
    return gb_clip(x, -1, 1);
}

static void derivatives_at_kinks_are_those_that_the_headers_state(void **state)
{
    (void)state;
    assert_gradient(gb_abs, GB_VALUES(0, -0.0, 2, -2), 0, 0, 1, -1);
    assert_gradient(gb_relu, GB_VALUES(0, -0.0, 2, -2), 0, 0, 1, 0);
    assert_gradient(gb_sqrt, GB_VALUES(0, 4), INFINITY, 0.25);
    assert_gradient(cube_by_pow, GB_VALUES(0, -2, 2), 0, 12, 12);
    assert_gradient(power_0, GB_VALUES(0, -2, 2), 0, 0, 0);
    assert_gradient(zero_to_a_power, GB_VALUES(1, 2.5), 0, 0);
    assert_gradient(clip, GB_VALUES(-2, 0, 2), 0, 1, 0);
}

static void where_two_are_equal_the_derivative_goes_to_the_first(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)),
                  y = gb_variable(t, "y", gb_shape(3), GB_VALUES(2, 2, 2));
    assert_values(gb_grad(gb_sum(gb_max(x, y)), x), 0, 1, 1);
    assert_values(gb_grad(gb_sum(gb_max(x, y)), y), 1, 0, 0);
    assert_values(gb_grad(gb_sum(gb_min(x, y)), x), 1, 1, 0);
    assert_values(gb_grad(gb_sum(gb_min(x, y)), y), 0, 0, 1);
    gb_tape_free(t);
}

static gb_node maximum(gb_node x)
{
    return gb_maximum(x);
}

static void elements_that_attain_a_maximum_share_its_derivative(void **state)
{
    (void)state;
    assert_gradient(maximum, GB_VALUES(1, 3, 3, 2, 3), 0, 1. / 3, 1. / 3, 0, 1. / 3);
    assert_gradient(maximum, GB_VALUES(-INFINITY, -INFINITY), 0.5, 0.5);
}

static gb_node tail(gb_node x)
{
    return gb_log_sigmoid(x);
}

static void derivatives_keep_their_digits_in_the_tails(void **state)
{
    (void)state;
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

static void probabilities_of_minus_infinity_get_a_gradient_of_zero(void **state)
{
    (void)state;
    assert_gradient(smallest, GB_VALUES(-INFINITY, 0, 0), 0, 0.5, 0.5);
    assert_gradient(smallest, GB_VALUES(-INFINITY, -INFINITY), 0, 0);
    assert_gradient(smallest, GB_VALUES(1e300, 0), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_that_is_not_taken_has_no_gradient_even_where_it_is_infinite_or_nan),
        cmocka_unit_test(a_second_gradient_keeps_the_rule),
        cmocka_unit_test(an_adjoint_of_zero_stays_zero_against_an_infinite_derivative),
        cmocka_unit_test(derivatives_at_kinks_are_those_that_the_headers_state),
        cmocka_unit_test(where_two_are_equal_the_derivative_goes_to_the_first),
        cmocka_unit_test(elements_that_attain_a_maximum_share_its_derivative),
        cmocka_unit_test(derivatives_keep_their_digits_in_the_tails),
        cmocka_unit_test(probabilities_of_minus_infinity_get_a_gradient_of_zero),
    };
    return cmocka_run_group_tests_name("kinks", tests, NULL, NULL);
}
