/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters are held to their domains: when they are given, and when they are computed. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/reduce.h"

/* ---- when they are given ---- */

TEST(invalid_constants_are_rejected_when_given)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    assert_false(gb_dist_ok(gb_normal(zero, gb_num(t, -1))));
    assert_rejected(t, GB_EARGUMENT, "normal: scale is -1, and must be positive and finite");
    gb_normal(zero, zero);
    assert_rejected(t, GB_EARGUMENT, "normal: scale is 0, and must be positive");
    gb_normal(gb_num(t, INFINITY), one);
    assert_rejected(t, GB_EARGUMENT, "normal: loc is inf, and must be finite");
    gb_normal(gb_num(t, NAN), one);
    assert_rejected(t, GB_EARGUMENT, "normal: loc is nan, and must be finite");
    gb_normal(zero, gb_constant(t, gb_shape(3), GB_VALUES(1, 2, -3)));
    assert_rejected(t, GB_EARGUMENT, "normal: scale is -3, and must be positive");
    gb_normal(zero, gb_constant(t, gb_shape(2), gb_fill(-4)));
    assert_rejected(t, GB_EARGUMENT, "normal: scale is -4, and must be positive");
    gb_normal(gb_zeros(t, gb_shape(2)), gb_ones(t, gb_shape(3)));
    assert_rejected(t, GB_ESHAPE, "normal: scale has shape (3), which does not broadcast with (2)");
    gb_normal((gb_node){0}, one);
    assert_rejected(t, GB_ENODE, "normal: loc is not a usable node");
    gb_normal(zero, gb_less(zero, one));
    assert_rejected(t, GB_ETYPE, "normal: scale is not real");
    assert_false(gb_node_ok(gb_log_prob((gb_dist){0}, one)));
    assert_fine(t);
}

/* 1e-60 is 0 there; 1e300 is no number of it at all. */
TEST(constants_are_judged_as_a_float_tape_stores_them)
{
    gb_tape *const tape = gb_tape_new(.real = GB_FLOAT);
    assert_false(gb_dist_ok(gb_normal(gb_num(tape, 0), gb_num(tape, 1e300))));
    assert_rejected(tape, GB_ELIMIT, "num : value 0 is 1e+300, too large for a float tape");
    gb_normal(gb_num(tape, 0), gb_num(tape, (double)INFINITY));
    assert_rejected(tape, GB_EARGUMENT, "normal: scale is inf, and must be positive and finite");
    gb_normal(gb_num(tape, 0), gb_num(tape, 1e-60));
    assert_rejected(tape, GB_EARGUMENT, "normal: scale is 0, and must be positive and finite");
    assert_true(gb_dist_ok(gb_normal(gb_num(tape, 0), gb_num(tape, 0.1))));
    gb_tape_free(tape);
}

/* Constants are judged also on a tape that has run, where nothing is evaluated any more by reading. */
TEST(constants_are_judged_after_a_run_too)
{
    gb_program *p = gb_compile(t, gb_roots(gb_exp(gb_num(t, 1))), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    gb_mixture(gb_constant(t, gb_shape(2), gb_fill(-INFINITY)),
               gb_normal(gb_zeros(t, gb_shape(2)), gb_num(t, 1)));
    assert_rejected(t, GB_EARGUMENT, "mixture: logits must be below infinity, and not all of them -infinity");
}

/* ---- when they are computed ---- */

/* A given infinity is a wrong argument; one that is computed is a value that is not finite. */
TEST(a_computed_parameter_that_overflows_is_a_value_that_is_not_finite)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1e308)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(1));
    const gb_node overflowing = gb_log_prob(gb_normal(gb_num(t, 0), gb_scale(x, 10)), gb_num(t, 1));
    const gb_node given = gb_log_prob(gb_normal(gb_num(t, 0), y), gb_num(t, 1));
    gb_program *computes = gb_compile(t, gb_roots(overflowing), gb_no_update),
               *takes = gb_compile(t, gb_roots(given), gb_no_update);
    assert_int_equal(gb_run(computes), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "normal: scale is inf, and must be positive and finite");
    gb_set(y, gb_fill(INFINITY));
    assert_int_equal(gb_run(takes), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "normal: scale is inf, and must be positive and finite");
}

TEST(an_invalid_variable_makes_the_run_fail_in_the_same_words)
{
    const gb_node scale = gb_variable(t, "scale", gb_shape(3), GB_VALUES(1, 2, 3)),
                  loss = gb_sum(gb_log_prob(gb_normal(gb_num(t, 0), scale), gb_num(t, 1)));
    gb_program *look = gb_compile(t, gb_roots(loss), gb_no_update);
    gb_program *step = gb_compile(t, gb_roots(loss), gb_assign(scale, gb_shift(scale, -0.75)));
    assert_int_equal(gb_run(look), GB_OK);
    assert_int_equal(gb_run(step), GB_OK);
    assert_int_equal(gb_run(step), GB_OK); /* the commit makes it -0.5 */
    assert_int_equal(gb_run(step), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "step 2: normal: scale is -0.5, and must be positive and finite");
    assert_values(scale, -0.5, 0.5, 1.5);
    gb_run(look);
    assert_rejected(t, GB_EARGUMENT, "normal: scale is -0.5, and must be positive and finite");
    gb_set(scale, gb_fill(1));
    assert_int_equal(gb_run(step), GB_OK);
}

typedef gb_dist make_of(gb_tape *t, const gb_node *param);

static gb_dist make_categorical(gb_tape *t, const gb_node *param)
{
    (void)t;
    return gb_categorical(param[0]);
}
static gb_dist make_uniform(gb_tape *t, const gb_node *param)
{
    (void)t;
    return gb_uniform(param[0], param[1]);
}
static gb_dist make_affine(gb_tape *t, const gb_node *param)
{
    return gb_transformed(gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_affine_transform(param[0], param[1]));
}
static gb_dist make_interval(gb_tape *t, const gb_node *param)
{
    return gb_transformed(gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_interval_transform(param[0], param[1]));
}
static gb_dist make_normal(gb_tape *t, const gb_node *param)
{
    (void)t;
    return gb_normal(param[0], param[1]);
}

/* Two parameters of two elements each, given as constants and fed. */
static void assert_words(make_of *make, const double *values, const char *words)
{
    gb_tape *const t = test_tape();
    const gb_shape two = gb_shape(2);
    const gb_node constant[] = {gb_constant(t, two, gb_values_of(values, 2)),
                                gb_constant(t, two, gb_values_of(values + 2, 2))};
    assert_false(gb_dist_ok(make(t, constant)));
    assert_rejected(t, GB_EARGUMENT, words);
    const gb_node fed[] = {gb_input(t, "a", two), gb_input(t, "b", two)};
    const gb_node draw = gb_sample(make(t, fed), gb_stream(t, "draw"), 0);
    gb_program *const p = gb_compile(t, gb_roots(draw), gb_no_update);
    assert_fine(t);
    gb_feed(fed[0], values, 1);
    gb_feed(fed[1], values + 2, 1);
    gb_run(p);
    assert_rejected(t, GB_EARGUMENT, words);
}

TEST(constants_and_computed_values_are_rejected_in_the_same_words)
{
    const double bad_element[] = {-3, 0.5, 0, 0}, bad_sum[] = {0.25, 0.5, 0, 0},
                 bad_relation[] = {0, 1, 2, 1}, is_nan[] = {0, 0, 1, NAN}, no_scale[] = {0, 0, 1, 0},
                 upside_down[] = {0, 0, 1, -1};
    assert_words(make_categorical, bad_element, "categorical: probs is -3, and must be ");
    assert_words(make_categorical, bad_sum, "categorical: probs must be ");
    assert_words(make_uniform, bad_relation, "uniform: high is 1, and must be above low");
    assert_words(make_normal, is_nan, "normal: scale is nan, and must be positive and finite");
    assert_words(make_affine, is_nan, "affine: scale is nan, and must be finite and not 0");
    assert_words(make_affine, no_scale, "affine: scale is 0, and must be finite and not 0");
    assert_words(make_interval, is_nan, "interval: high is nan, and must be finite");
    assert_words(make_interval, upside_down, "interval: high is -1, and must be above low");
}

/* Also of what is seen through a view: here the parameter is repeated to the size of the others. */
TEST(the_offending_element_is_found_in_a_view)
{
    const gb_node low = gb_input(t, "low", gb_shape(2, 1)), high = gb_input_rows(t, "high", gb_shape(3));
    const gb_node log_p = gb_sum(gb_log_prob(gb_uniform(low, high), gb_num(t, 0.5)));
    gb_program *const p = gb_compile(t, gb_roots(gb_sum_over(log_p, GB_ROWS)), gb_no_update);
    gb_feed(low, (const double[]){0, 5}, 1);
    gb_feed(high, (const double[]){9, 8, 7, 6, 4, 7}, 2);
    gb_run(p);
    assert_rejected(t, GB_EARGUMENT, "uniform: high is 4, and must be above low");
}

/* Even where no root shows it: the value is outside the support, or not used. */
TEST(what_is_invalid_is_rejected_wherever_it_is_needed)
{
    const gb_node loc = gb_variable(t, "loc", gb_shape(), gb_fill(0)),
                  scale = gb_variable(t, "scale", gb_shape(), gb_fill(-2));
    const gb_dist q = gb_transformed(gb_normal(loc, scale), gb_exponential_transform(t));
    gb_value(gb_log_prob(q, gb_num(t, -1)));
    assert_rejected(t, GB_EARGUMENT, "normal: scale is -2, and must be positive and finite");
    gb_value(gb_dist_variance(gb_normal(loc, scale)));
    assert_rejected(t, GB_EARGUMENT, "normal: scale is -2");
}

TEST(a_scale_that_cannot_be_negative_is_not_checked)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(0.5));
    const gb_node sure[] = {gb_exp(x),
                            gb_softplus(x),
                            gb_sigmoid(x),
                            gb_shift(gb_square(x), 0.1),
                            gb_scale(gb_exp(x), 3),
                            gb_sqrt(gb_add(gb_exp(x), gb_square(x))),
                            gb_reciprocal(gb_softplus(x)),
                            gb_reshape(gb_exp(x), gb_shape(3, 1))};
    for (size_t i = 0; i < sizeof sure / sizeof *sure; i++)
        assert_true(gb_node_same(gb_normal(x, sure[i]).param[1], sure[i]));
    const gb_node unsure[] = {x, gb_square(x), gb_neg(gb_exp(x)), gb_scale(gb_exp(x), -1),
                              gb_sub(gb_exp(x), x)};
    for (size_t i = 0; i < sizeof unsure / sizeof *unsure; i++)
        assert_string_equal(gb_node_op_name(gb_normal(x, unsure[i]).param[1]), "hold");
    assert_true(gb_node_same(gb_normal(x, sure[0]).param[0], x));
    assert_fine(t);
}

TEST(holding_leaves_values_and_gradients_as_they_are)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3));
    const gb_node held = gb_hold(x, gb_less(x, gb_num(t, 0)), (gb_hold_words){"a", "b", "c", 0});
    assert_values(held, 1, 2, 3);
    assert_values(gb_grad(gb_sum(gb_square(held)), x), 2, 4, 6);
    gb_hold(x, x, (gb_hold_words){"a", "b", "c", 0});
    assert_rejected(t, GB_ETYPE, "hold: argument 2 is not boolean");
    gb_hold(gb_sum(x), gb_less(x, gb_num(t, 0)), (gb_hold_words){"a", "b", "c", 0});
    assert_rejected(t, GB_ESHAPE, "hold: the condition has shape (3)");
}

/* NaN that comes from elsewhere is not blamed on a parameter. */
TEST(a_nan_from_before_is_reported_as_such)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(-1));
    gb_value(gb_log_prob(gb_normal(gb_num(t, 0), gb_log(x)), gb_num(t, 1)));
    assert_rejected(
        t, GB_ENONFINITE,
        "normal: scale is nan, and must be positive and finite; the first NaN value was made by log");
}

TEST(a_matrix_that_must_be_square_is_named)
{
    const gb_node wide = gb_ones(t, gb_shape(2, 3));
    gb_multivariate_normal(gb_zeros(t, gb_shape(2)), wide);
    assert_rejected(t, GB_ESHAPE, "multivariate_normal: scale_tril has shape (2×3), and must be square");
}

TEST(a_simplex_is_one_to_a_millionth)
{
    const gb_dist d = gb_dirichlet(gb_constant(t, gb_shape(2), gb_fill(2)));
    const gb_node near = gb_constant(t, gb_shape(2), GB_VALUES(0.5, 0.5 + 1e-7)),
                  off = gb_constant(t, gb_shape(2), GB_VALUES(0.5, 0.5 + 1e-5));
    assert_true(isfinite(gb_value(gb_log_prob(d, near))));
    assert_true(gb_value(gb_log_prob(d, off)) == -INFINITY);
    assert_true(gb_dist_ok(gb_categorical(near)));
    assert_false(gb_dist_ok(gb_categorical(off)));
    assert_rejected(t, GB_EARGUMENT, "categorical: probs must be non-negative with a sum of 1");
}
