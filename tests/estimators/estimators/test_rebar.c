/* SPDX-License-Identifier: GPL-3.0-or-later */
/* REBAR with multipliers and temperatures that are learned, one for each element, and with later layers that
 * are relaxed: exact means over all noise, and what is learned. */
#include "support/close.h"

#include "compare/compare.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/fed_noise.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- one for all, and one for each ---- */

typedef struct case_of {
    const char *name;
    bool one_hot, rows;
} case_of;

static const case_of cases[] = {{.name = "bits"},
                                {.name = "bits of rows", .rows = true},
                                {.name = "vectors", .one_hot = true},
                                {.name = "vectors of rows", .one_hot = true, .rows = true}};

static void gradients_of(const case_of *c, gb_estimator by, int runs, double *all)
{
    static const double data[] = {0.5, -1, 0.25};
    gb_tape *const t = test_tape(.seed = 4, .samples = 2);
    gb_expect *const e = gb_expect_new(t);
    const gb_node a = gb_variable(t, "a", gb_shape(2, 3), GB_VALUES(0.3, -1, 0.2, 1.4, 0, -0.6));
    const gb_node row = c->rows ? gb_input_rows(t, "row", gb_shape()) : gb_num(t, 0.7);
    const gb_node logits = gb_mul(a, gb_shift(row, 1));
    const gb_dist q = c->one_hot ? gb_one_hot_categorical_logits(logits) : gb_bernoulli_logits(logits);
    const gb_node b = gb_draw(e, "b", q, by);
    const gb_node weight = gb_reshape(gb_arange(t, 6), gb_shape(2, 3));
    const gb_node sum = gb_sub(gb_sum(gb_mul(b, weight)), row);
    const gb_node cost = gb_add(gb_square(sum), gb_cos(sum));
    const gb_node g = gb_grad(gb_expected(e, c->rows ? gb_sum_over(cost, GB_ROWS) : cost), a);
    gb_program *const p = gb_compile(t, gb_roots(g), gb_no_update);
    if (c->rows)
        gb_feed(row, data, 3);
    for (int i = 0; i < runs; i++) {
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(g, all + 6 * i, 6);
    }
    assert_fine(t);
}

TEST_EACH(equal_numbers_are_one_to_the_bit, cases)
{
    enum { RUNS = 20 };
    double one[6 * RUNS], each[6 * RUNS];
    gradients_of(row, gb_rebar(.eta = 0.7), RUNS, one);
    gradients_of(row, gb_rebar(.eta = 0.7, .learn = true, .each_element = true), RUNS, each);
    assert_memory_equal(one, each, sizeof one);
    gradients_of(row, gb_rebar(.temperature = 0.25), RUNS, one);
    gradients_of(row, gb_rebar(.temperature = 0.25, .learn_temperature = true, .each_element = true), RUNS,
                 each);
    assert_memory_equal(one, each, sizeof one);
}

/* ---- over all noise ---- */

static const double WEIGHT = 0.6;

static void set_numbers(gb_tape *t, const char *name, double first, double second)
{
    if (gb_tape_has_variable(t, name))
        assert_int_equal(gb_set(gb_variable_named(t, name), GB_VALUES(first, second)), GB_OK);
}

/* The variable that makes a temperature of 0.5 another one. */
static double warmth_of(double temperature)
{
    return atanh(log(temperature / 0.5) / log(5));
}

/* Each bit has a multiplier and a temperature of its own. */
TEST(any_multipliers_and_temperatures_keep_the_mean)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node logits = gb_variable(t, "logits", gb_shape(2), gb_values_of(LOGIT, 2));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logits),
                              gb_rebar(.learn = true, .learn_temperature = true, .each_element = true));
    const gb_node g = gb_grad(gb_expected(e, cost_of_nodes(gb_at(b, 0), gb_at(b, 1))), logits);
    const two_bits two = {.fed = feed_noise(1, &g)};
    assert_int_equal(two.fed.noises, 2);
    assert_int_equal(gb_set(gb_variable_named(t, "b.cost"), GB_VALUES(1.3, 1, 1)), GB_OK);
    set_numbers(t, "b.eta", 0.3, 1.6);
    set_numbers(t, "b.warmth", warmth_of(0.8), warmth_of(1.5));
    is_unbiased(&two);
}

/* ---- layers ---- */

/* Over the second bit; its log q is part of the cost. */
static double given_first(double first, double logit)
{
    const double q = logistic_cdf(logit);
    return q * (cost_of(first, 1) + WEIGHT * log(q)) + (1 - q) * (cost_of(first, 0) + WEIGHT * log(1 - q));
}

static double slope_given_first(double first, double logit)
{
    const double q = logistic_cdf(logit);
    return q * (1 - q) * (cost_of(first, 1) - cost_of(first, 0) + WEIGHT * logit);
}

static gb_node loss_of_layers(gb_tape *t, gb_estimator first, gb_estimator second,
                              gb_node parameter[PARAMETERS], double *evaluations)
{
    gb_expect *const e = gb_expect_new(t);
    parameter[0] = gb_variable(t, "first", gb_shape(), gb_fill(LOGIT[0]));
    parameter[1] = gb_variable(t, "second", gb_shape(), gb_fill(LOGIT[1]));
    parameter[2] = gb_variable(t, "pull", gb_shape(), gb_fill(PULL));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(parameter[0]), first);
    const gb_node logit = gb_add(parameter[1], gb_mul(parameter[2], b));
    const gb_node c = gb_draw(e, "c", gb_bernoulli_logits(logit), second);
    const gb_node own = gb_draw_log_prob(e, c, gb_num(t, WEIGHT)), cost = gb_add(cost_of_nodes(b, c), own);
    *evaluations = gb_expect_evaluations(e, cost);
    return gb_expected(e, cost);
}

/* With five evaluations, not nine. */
TEST(relaxed_layers_keep_the_mean)
{
    double evaluations;
    gb_node parameter[PARAMETERS], g[PARAMETERS];
    const gb_estimator by = gb_rebar(.learn_temperature = true, .eta = 0.8, .relax_later = true);
    const gb_node loss = loss_of_layers(t, by, by, parameter, &evaluations);
    assert_int_equal(gb_grads(loss, parameter, PARAMETERS, g), GB_OK);
    const two_bits two = {.in_layers = true, .fed = feed_noise(PARAMETERS, g)};
    assert_true(evaluations == 5 && two.fed.noises == NOISES);
    assert_int_equal(gb_set(gb_variable_named(t, "b.warmth"), gb_fill(warmth_of(0.8))), GB_OK);
    assert_int_equal(gb_set(gb_variable_named(t, "c.warmth"), gb_fill(warmth_of(1.4))), GB_OK);
    const double p = logistic_cdf(LOGIT[0]), of_one = slope_given_first(1, LOGIT[1] + PULL),
                 of_zero = slope_given_first(0, LOGIT[1]);
    const double difference = given_first(1, LOGIT[1] + PULL) - given_first(0, LOGIT[1]);
    has_mean(&two, of_layers,
             (const double[]){p * (1 - p) * difference, p * of_one + (1 - p) * of_zero, p * of_one});
}

/* Without relaxed layers the evaluations multiply. */
TEST(evaluations_of_relaxed_layers_add_up)
{
    enum { LAYERS = 7 };
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        gb_tape *const own = test_tape(.seed = 1);
        gb_expect *const e = gb_expect_new(own);
        gb_node below = gb_num(own, 0.5), cost = gb_num(own, 0);
        for (int i = 0; i < LAYERS; i++) {
            char name[16];
            snprintf(name, sizeof name, "z%d", i);
            below = gb_draw(e, name, gb_bernoulli_logits(gb_scale(below, 0.3)),
                            gb_rebar(.relax_later = relaxed == 1));
            cost = gb_add(cost, below);
        }
        assert_fine(own);
        assert_true(gb_expect_evaluations(e, cost) == (relaxed ? 1 + 2 * LAYERS : pow(3, LAYERS)));
    }
}

/* ---- what is learned ---- */

static gb_learned rule_of(gb_node loss, const char *variable)
{
    gb_learned all[GB_LEARNED_MOST];
    const size_t count = gb_node_learned(loss, all, GB_LEARNED_MOST);
    for (size_t i = 0; i < count; i++)
        if (!all[i].is_assigned && strcmp(gb_variable_name(all[i].variable[0]), variable) == 0)
            return all[i];
    fail_msg("nothing lowers %s", variable);
    return (gb_learned){0};
}

static double value_with(gb_program *p, gb_node variable, gb_node target, double value)
{
    assert_int_equal(gb_set(variable, gb_fill(value)), GB_OK);
    gb_program_set_step(p, 3);
    assert_int_equal(gb_run(p), GB_OK);
    return gb_value(target);
}

typedef struct slope_of {
    const char *name, *variable, *first, *second; /* estimators of b and c */
} slope_of;

static const slope_of slopes[] = {
    {"before a relaxed layer", "b.warmth", "rebar:learn_temperature:relax_later", "rebar:learn"},
    {"before a sum", "b.warmth", "rebar:learn_temperature:relax_later", "enumerate"},
    {"in the later layer", "c.warmth", "rebar:learn_temperature:relax_later", "rebar:learn_temperature"},
    {"eta in the later layer", "c.eta", "rebar:relax_later", "rebar:learn"},
    {"eta behind values", "c.eta", "measure", "rebar:learn"}};

static gb_estimator named(const char *text)
{
    gb_estimator estimator;
    char error[200];
    if (!gb_estimator_parse(text, &estimator, error, sizeof error))
        fail_msg("%s", error);
    return estimator;
}

/* What is lowered is the squared gradient of the draw, at fixed noise; slopes by five-point differences. */
TEST_EACH(what_is_lowered_is_the_squared_gradient, slopes, .seed = 9)
{
    static const double far[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1}, h = 1e-3, from = 0.3;
    const slope_of *const c = row;
    double evaluations, difference = 0;
    gb_node parameter[PARAMETERS];
    const gb_node loss = loss_of_layers(t, named(c->first), named(c->second), parameter, &evaluations);
    const gb_learned rule = rule_of(loss, c->variable);
    const gb_node v = rule.variable[0], slope = gb_grad(rule.target, v), none = gb_grad(loss, v);
    const gb_node g = gb_grad(loss, parameter[c->variable[0] == 'c']);
    gb_program *const p = gb_compile(t, gb_roots(rule.target, slope, g, none), gb_no_update);
    assert_fine(t);
    settle_costs(t, "b", 0.4);
    settle_costs(t, "c", 0.4);
    for (int k = 0; k < 4; k++)
        difference += weight[k] * value_with(p, v, rule.target, from + far[k] * h) / (12 * h);
    value_with(p, v, rule.target, from);
    assert_near(gb_value(rule.target), gb_value(g) * gb_value(g), 1e-12 * (1 + gb_value(rule.target)));
    assert_true(fabs(difference) > 1e-4 && gb_value(none) == 0);
    assert_near(gb_value(slope), difference, 1e-7 * (1 + fabs(difference)));
}

static double variance_of(const char *problem, gb_estimator by, size_t settings,
                          const gb_compare_setting *setting)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find(problem), .estimators = 1, .estimator = &by,
                   .settings = settings, .setting = setting, .draws = 4000, .seed = 3, .threads = 1);
    double sum = 0;
    assert_non_null(c);
    for (size_t i = 0; i < c->parameters; i++)
        sum += c->estimator[0].parameter[i].variance;
    gb_comparison_free(c);
    return sum;
}

/* Where one bit is mostly 0, another mostly 1, and all of them interact. */
TEST(a_number_for_each_element_lowers_the_variance)
{
    const gb_compare_setting apart[] = {{"p1", 0.1}, {"p3", 0.9}, {"eta", 3}};
    const gb_estimator one = gb_rebar(.learn = true, .learn_temperature = true),
                       each = gb_rebar(.learn = true, .learn_temperature = true, .each_element = true);
    const double of_one = variance_of("bernoulli-3", one, 3, apart),
                 of_each = variance_of("bernoulli-3", each, 3, apart);
    if (!(of_each < 0.6 * of_one))
        fail_msg("%g for each, %g with one for all", of_each, of_one);
}

/* Its values are those of both costs, so one of them is enough, and a program moves it once. */
TEST(a_temperature_is_learned_from_one_cost, .seed = 2)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(2), gb_fill(0.3));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi),
                              gb_rebar(.learn = true, .learn_temperature = true, .each_element = true));
    const gb_node first = gb_expected(e, gb_square(gb_sum(b))), second = gb_expected(e, gb_cos(gb_sum(b)));
    const gb_node both = gb_add(first, second), temperature = gb_variable_named(t, "b.warmth");
    rule_of(first, "b.warmth");
    rule_of(second, "b.eta.2");
    gb_program *const p = gb_compile(t, gb_roots(both), gb_minimise(both, gb_adam(.lr = 0.01)));
    for (int i = 0; i < 3; i++)
        assert_int_equal(gb_run(p), GB_OK);
    double now[2];
    assert_int_equal(gb_read(temperature, now, 2), GB_OK);
    assert_true(now[0] != 0 && now[1] != 0 && now[0] != now[1]);
    assert_fine(t);
}

/* ---- what is rejected ---- */

TEST(what_learns_nothing_is_rejected)
{
    gb_expect *const e = gb_expect_new(t);
    gb_draw(e, "b", gb_bernoulli(gb_num(t, 0.5)), gb_rebar(.each_element = true));
    assert_rejected(t, GB_EARGUMENT, "draw b: rebar has each_element, and learns nothing: learn is for eta");
}

TEST(a_temperature_before_a_first_gradient_is_rejected)
{
    double evaluations;
    gb_node parameter[PARAMETERS];
    loss_of_layers(t, gb_rebar(.learn_temperature = true, .relax_later = true), gb_arm(), parameter,
                   &evaluations);
    assert_true(evaluations == 6);
    assert_rejected(
        t, GB_EARGUMENT,
        "draw b: a learned temperature takes second gradients of the cost. Draw c depends on this "
        "draw, and the gradient of its estimator arm cannot be differentiated");
}
