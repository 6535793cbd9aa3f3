/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baselines change the variance of a score and not its mean: formulas draw by draw, then closed forms of
 * variances, then what would bias and is rejected or caught. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node square_cost(gb_node z)
{
    return gb_square(gb_shift(z, -1.7));
}

static gb_node exp_cost(gb_node z)
{
    return gb_exp(z);
}

TEST(a_constant_is_subtracted)
{
    trial c = start(gb_score(.baseline = gb_constant_baseline(2.5)), 1, 0.6, 0.8, square_cost);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(c.program), GB_OK);
        const double z = gb_value(c.z), a = (z - 1.7) * (z - 1.7) - 2.5;
        assert_close(gb_value(c.of_mu), a * (z - 0.6) / 0.64, 64);
    }
}

/* A quadratic cost is its own Taylor series: its gradient is then exact in every sample. */
TEST(the_delta_method_is_exact_for_squares)
{
    trial c = start(gb_score(.baseline = gb_delta()), 3, 0.6, 0.8, square_cost);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(c.program), GB_OK);
        assert_close(gb_value(c.of_mu), 2 * (0.6 - 1.7), 1e3);
        assert_close(gb_value(c.of_sigma), 2 * 0.8, 1e3);
    }
}

/* (Σ w z)² has a full Hessian. */
TEST(the_delta_method_takes_whole_hessians, .seed = 5, .samples = 2)
{
    gb_expect *e = gb_expect_new(t);
    const double w[] = {1, -2, 0.5}, m[] = {0.3, -0.2, 1};
    const gb_node mu = gb_variable(t, "mu", gb_shape(3), gb_values_of(m, 3)),
                  sigma = gb_variable(t, "sigma", gb_shape(3), gb_fill(0.7));
    const gb_node z = gb_draw(e, "z", gb_normal(mu, sigma), gb_score(.baseline = gb_delta()));
    const gb_node sum = gb_sum(gb_mul(z, gb_constant(t, gb_shape(3), gb_values_of(w, 3))));
    const gb_node loss = gb_expected(e, gb_square(sum)), of_mu = gb_grad(loss, mu),
                  of_sigma = gb_grad(loss, sigma);
    gb_program *p = gb_compile(t, gb_roots(of_mu, of_sigma), gb_no_update);
    double g[3], h[3];
    assert_int_equal(gb_run(p), GB_OK);
    gb_read(of_mu, g, 3);
    gb_read(of_sigma, h, 3);
    const double at = 0.3 + 0.4 + 0.5;
    for (int i = 0; i < 3; i++) {
        assert_close(g[i], 2 * at * w[i], 1e4);
        assert_close(h[i], 2 * w[i] * w[i] * 0.7, 1e4);
    }
}

TEST(the_delta_method_rejects_costs_that_mix_rows)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node loc = gb_input_rows(t, "loc", gb_shape());
    const gb_node z = gb_draw(e, "z", gb_normal(loc, gb_num(t, 1)), gb_score(.baseline = gb_delta()));
    assert_false(gb_node_ok(gb_expected(e, gb_square(gb_sum_over(gb_sin(z), GB_ROWS)))));
    assert_rejected(t, GB_EARGUMENT, "draw z: the delta baseline needs a cost that is a sum over rows");
}

/* The Hessian is a second gradient, which later draws must have. */
TEST(the_delta_method_rejects_later_draws_without_second_gradients)
{
    const gb_estimator by[] = {gb_arm(),   gb_disarm(), gb_measure_valued(),
                               gb_rebar(), gb_relax(),  gb_vargrad()};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        gb_tape *const tape = test_tape(.samples = 2);
        gb_expect *e = gb_expect_new(tape);
        const gb_node mu = gb_variable(tape, "mu", gb_shape(), gb_fill(0));
        const gb_node z = gb_draw(e, "z", gb_normal(mu, gb_num(tape, 1)), gb_score(.baseline = gb_delta()));
        const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(z), by[i]);
        gb_expected(e, gb_square(gb_add(z, b)));
        assert_rejected(
            tape, GB_EARGUMENT,
            "draw z: the delta baseline takes second gradients of the cost. Draw b depends on this "
            "draw, and the gradient of its estimator");
    }
}

TEST(the_delta_method_is_unbiased_and_helps)
{
    moments with[2], without[2];
    trial c = start(gb_score(.baseline = gb_delta()), 1, 0.4, 0.5, exp_cost),
          plain = start(gb_score(), 1, 0.4, 0.5, exp_cost);
    collect(c.program, 60000, 2, (const gb_node[]){c.of_mu, c.of_sigma}, with);
    collect(plain.program, 60000, 2, (const gb_node[]){plain.of_mu, plain.of_sigma}, without);
    const double mean = exp(0.4 + 0.125), exact[] = {mean, 0.5 * mean};
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(with[k].mean - exact[k]) <= z_bound(1e-6, 2) * with[k].mean_error);
        assert_true(with[k].variance < 0.1 * without[k].variance);
    }
}

/* Use, then update: the first run subtracts nothing, the second what the first cost. */
TEST(a_moving_average_is_of_earlier_runs)
{
    trial c = start(gb_score(.baseline = gb_moving_average(.decay = 0.8)), 2, 0.6, 0.8, square_cost);
    gb_learned learned[4];
    assert_int_equal(gb_node_learned(c.loss, learned, 4), 2);
    gb_updates updates = gb_no_update;
    for (int i = 0; i < 2; i++) {
        assert_true(learned[i].is_assigned);
        updates = gb_updates_join(updates, gb_assign(learned[i].variable[0], learned[i].target));
    }
    gb_program *train = gb_compile(c.t, gb_roots(c.z, c.loss, c.of_mu), updates);
    double sum = 0, weight = 0, z[2];
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(train), GB_OK);
        gb_read(c.z, z, 2);
        const double b = weight > 0 ? sum / weight : 0;
        double g = 0, cost = 0;
        for (int i = 0; i < 2; i++) {
            const double f = (z[i] - 1.7) * (z[i] - 1.7);
            g += (f - b) * (z[i] - 0.6) / 0.64 / 2;
            cost += f / 2;
        }
        assert_close(gb_value(c.of_mu), g, 256);
        sum = 0.8 * sum + 0.2 * cost;
        weight = 0.8 * weight + 0.2;
    }
}

TEST(a_decay_must_be_between_0_and_1)
{
    const double wrong[] = {1, 1.5, -1, NAN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gb_tape *const tape = test_tape();
        gb_expect *e = gb_expect_new(tape);
        const gb_node mu = gb_variable(tape, "mu", gb_shape(), gb_fill(0));
        const gb_estimator by = gb_score(.baseline = gb_moving_average(.decay = wrong[i]));
        assert_false(
            gb_node_ok(gb_expected(e, gb_square(gb_draw(e, "z", gb_normal(mu, gb_num(tape, 1)), by)))));
        assert_rejected(tape, GB_EARGUMENT, "draw z: score: baseline moving_average: decay is");
    }
}

/* Settled at the mean, and at E[f s²] / E[s²]: the closed forms of oracles for σ = 1, d = μ − k. */
TEST(settled_baselines_have_the_variances_of_their_closed_forms)
{
    const double d = -0.7, mean_cost = 1 + d * d; /* σ² + d² */
    const double best_of_mu = 3 + d * d, best_of_sigma = 5 + d * d;
    const struct {
        double baseline, of_mu, of_sigma;
    } cases[] = {{0, pow(d, 4) + 14 * d * d + 15, 2 * pow(d, 4) + 60 * d * d + 74},
                 {mean_cost, 10 + 8 * d * d, 56 + 40 * d * d},
                 {best_of_mu, 6 + 8 * d * d, 32 + 40 * d * d},
                 {best_of_sigma, 10 + 8 * d * d, 24 + 40 * d * d}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        moments m[2];
        trial c =
            start(gb_score(.baseline = gb_constant_baseline(cases[i].baseline)), 1, 1.0, 1.0, square_cost);
        collect(c.program, 200000, 2, (const gb_node[]){c.of_mu, c.of_sigma}, m);
        assert_true(fabs(m[0].variance - cases[i].of_mu) < 6 * m[0].variance_error);
        assert_true(fabs(m[1].variance - cases[i].of_sigma) < 6 * m[1].variance_error);
    }
}

TEST(a_fitted_constant_is_the_best_one)
{
    moments m[2];
    trial c = start(gb_score(.baseline = gb_fitted()), 50, 1.0, 1.0, square_cost);
    gb_program *train = gb_compile(c.t, gb_roots(c.loss), gb_minimise(c.loss, gb_adam(.lr = 1e-12)));
    for (int run = 0; run < 2000; run++)
        assert_int_equal(gb_run(train), GB_OK);
    gb_program_set_samples(c.program, 1);
    collect(c.program, 1500000, 2, (const gb_node[]){c.of_mu, c.of_sigma}, m);
    /* Of the sum of both variances: least at b = E[f s²] / E[s²] = 4 + d², as s² = (z² + (z² − 1)²). */
    const double d = -0.7, sum = m[0].variance + m[1].variance;
    double least = INFINITY;
    for (double b = 0; b < 12; b += 0.01) {
        /* E (f − b)² s² − |g|², by the moments of a normal */
        double total = 0, mass = 0;
        for (double x = -9; x <= 9; x += 1e-3) {
            const double f = (x + d) * (x + d), s = x * x + (x * x - 1) * (x * x - 1), w = exp(-x * x / 2);
            total += (f - b) * (f - b) * s * w;
            mass += w;
        }
        least = fmin(least, total / mass - 4 * d * d - 4);
    }
    if (!(sum < least * 1.03 && sum > least * 0.97))
        fail_msg("%g, where %g is the least", sum, least);
}

/* ---- rows ---- */

TEST(the_mean_of_other_rows_is_subtracted, .seed = 2)
{
    static const double data[] = {1, -2, 0.5};
    double z[3], f[3], g = 0, sum = 0;
    gb_expect *e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), a = gb_variable(t, "a", gb_shape(), gb_fill(0.7));
    const gb_node draw =
        gb_draw(e, "z", gb_normal(gb_mul(a, x), gb_num(t, 1)), gb_score(.baseline = gb_leave_one_row_out()));
    const gb_node of_a = gb_grad(gb_expected(e, gb_sum_over(gb_square(draw), GB_ROWS)), a);
    gb_program *p = gb_compile(t, gb_roots(draw, of_a), gb_no_update);
    gb_feed(x, data, 3);
    assert_int_equal(gb_run(p), GB_OK);
    gb_read(draw, z, 3);
    for (int i = 0; i < 3; i++)
        sum += f[i] = z[i] * z[i];
    for (int i = 0; i < 3; i++)
        g += (f[i] - (sum - f[i]) / 2) * data[i] * (z[i] - 0.7 * data[i]);
    assert_close(gb_value(of_a), g, 64);
    gb_feed(x, data, 1);
    assert_int_equal(gb_run(p), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "leave_one_row_out: a single row has no others");
    gb_expected(e, gb_square(gb_sum_over(draw, GB_ROWS)));
    assert_rejected(t, GB_EARGUMENT,
                    "leave_one_row_out needs a draw for each row, and a cost that is a sum over rows");
}

/* ---- learned ---- */

TEST(a_learned_baseline_is_fitted_and_must_not_see_its_draw, .seed = 5, .samples = 20)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node mu = gb_input(t, "mu", gb_shape()), b = gb_variable(t, "b", gb_shape(), gb_fill(0)),
                  other = gb_variable(t, "other", gb_shape(), gb_fill(1));
    gb_feed(mu, (const double[]){0.5}, 1);
    const gb_node z =
        gb_draw(e, "z", gb_normal(mu, gb_num(t, 1)), gb_score(.baseline = gb_learned_baseline(b)));
    const gb_node loss = gb_add(gb_expected(e, gb_square(z)), gb_square(other));
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.02)));
    for (int i = 0; i < 600; i++)
        assert_int_equal(gb_run(train), GB_OK);
    /* b is in standard deviations of the cost, around its mean 1.25. */
    double cost[3];
    assert_int_equal(gb_read(gb_variable_named(t, "z.cost"), cost, 3), GB_OK);
    assert_true(fabs(cost[0] - 1.25) < 0.25 && fabs(cost[1] * cost[1] - 3) < 1.2 && fabs(cost[2] - 1) < 0.01);
    assert_true(fabs(gb_value(b)) < 0.15);
    gb_tape_reset(t);
    gb_expect *again = gb_expect_new(t);
    const gb_node loc = gb_variable(t, "loc", gb_shape(), gb_fill(0)),
                  c = gb_variable(t, "c", gb_shape(), gb_fill(0));
    const gb_node x = gb_draw(again, "x", gb_normal(loc, gb_num(t, 1)), gb_pathwise());
    const gb_node y = gb_draw(again, "y", gb_normal(loc, gb_num(t, 1)),
                              gb_score(.baseline = gb_learned_baseline(gb_mul(c, x))));
    assert_true(gb_node_ok(gb_expected(again, gb_mul(x, y)))); /* of an earlier draw: fine */
    const gb_node late =
        gb_draw(again, "late", gb_normal(loc, gb_num(t, 1)),
                gb_score(.baseline = gb_learned_baseline(gb_input_rows(t, "r", gb_shape()))));
    gb_expected(again, late);
    assert_rejected(t, GB_ESHAPE, "draw late: the learned baseline must be one number for each sample");
}

/* The moments of costs 3 and 5, then 4 and 10: means 4 and 7, deviations 1 and 3, the second run with the
 * weight 1 to 0.99 of the first. */
TEST(costs_have_running_moments)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node fed = gb_input(t, "costs", gb_shape(2)), u = gb_variable(t, "u", gb_shape(), gb_fill(0.5)),
                  mu = gb_variable(t, "mu", gb_shape(), gb_fill(0));
    const gb_node z =
        gb_draw(e, "z", gb_normal(mu, gb_num(t, 1)), gb_score(.baseline = gb_learned_baseline(u)));
    const gb_node cost = gb_mul(gb_hide(fed, GB_SAMPLES), gb_exp(gb_scale(gb_stop(z), 0))),
                  loss = gb_expected(e, cost);
    gb_learned all[4];
    assert_int_equal(gb_node_learned(loss, all, 4), 2);
    const gb_learned rule = all[all[0].is_assigned ? 0 : 1];
    gb_program *train = gb_compile(t, gb_roots(loss), gb_assign(rule.variable[0], rule.target));
    gb_program_set_samples(train, 2);
    const double first = 0.99 / 1.99, second = 1 / 1.99, mean = first * 4 + second * 7;
    double is[3];
    gb_feed(fed, (const double[]){3, 5}, 1);
    assert_int_equal(gb_run(train), GB_OK);
    assert_values(rule.variable[0], 4, 1, 0.01);
    gb_feed(fed, (const double[]){4, 10}, 1);
    assert_int_equal(gb_run(train), GB_OK);
    gb_read(rule.variable[0], is, 3);
    assert_close(is[0], mean, 16);
    assert_close(is[1], sqrt(first * (1 + pow(4 - mean, 2)) + second * (9 + pow(7 - mean, 2))), 16);
}

/* A node that has nothing to learn is a baseline in the unit of the cost. */
TEST(a_node_without_variables_is_a_baseline_as_it_is)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(), gb_fill(0.4));
    const gb_node z = gb_draw(e, "z", gb_normal(mu, gb_num(t, 1)),
                              gb_score(.baseline = gb_learned_baseline(gb_scale(mu, 5))));
    const gb_node loss = gb_expected(e, gb_square(z)), g = gb_grad(loss, mu);
    gb_program *p = gb_compile(t, gb_roots(z, g), gb_no_update);
    assert_int_equal(gb_node_learned(loss, NULL, 0), 0);
    assert_int_equal(gb_run(p), GB_OK);
    const double x = gb_value(z);
    assert_close(gb_value(g), (x * x - 2) * (x - 0.4), 64);
}

/* The gradient's variance after a training of what is learned, with costs that are far from 0. Rows have
 * costs of their own, which the node can tell apart. */
static double variance_of_far_costs(gb_estimator (*by)(gb_tape *t, gb_node row), double unit, gb_real real,
                                    double *last)
{
    enum { STEPS = 200, LOOKS = 400, ROWS = 8 };
    moments m;
    gb_tape *const tape = test_tape(.seed = 4, .real = real);
    gb_expect *e = gb_expect_new(tape);
    const gb_node row = gb_input_rows(tape, "row", gb_shape()), logit = gb_input(tape, "logit", gb_shape(5)),
                  other = gb_variable(tape, "other", gb_shape(), gb_fill(1));
    const gb_node b = gb_draw_over(e, "b", gb_bernoulli_logits(logit), GB_ROWS, by(tape, row));
    const gb_node each = gb_mul(gb_shift(gb_scale(row, 40), -21000), gb_exp(gb_scale(gb_sum(b), 1e-4)));
    const gb_node loss = gb_add(gb_expected(e, gb_scale(gb_sum_over(each, GB_ROWS), unit)), gb_square(other));
    const gb_node slope = gb_sum(gb_grad(loss, logit));
    gb_program *train = gb_compile(tape, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.02)));
    gb_program *look = gb_compile(tape, gb_roots(slope), gb_no_update);
    assert_fine(tape);
    gb_feed(logit, (const double[]){0, 0.3, -0.2, 0.5, -1}, 1);
    gb_feed(row, (const double[]){-1.5, -1, -0.5, -0.25, 0.25, 0.5, 1, 1.5}, ROWS);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(gb_run(train), GB_OK);
    collect(look, LOOKS, 1, &slope, &m);
    *last = gb_value(slope);
    return m.variance;
}

static gb_estimator by_average(gb_tape *tape, gb_node row)
{
    (void)tape, (void)row;
    return gb_score(.baseline = gb_moving_average());
}

static gb_estimator by_node(gb_tape *tape, gb_node row)
{
    const gb_node a = gb_variable(tape, "a", gb_shape(), gb_fill(0)),
                  b = gb_variable(tape, "b of row", gb_shape(), gb_fill(0));
    return gb_score(.baseline = gb_learned_baseline(gb_add(a, gb_mul(b, row))));
}

static gb_estimator by_relax(gb_tape *tape, gb_node row)
{
    (void)tape, (void)row;
    return gb_relax();
}

static gb_estimator by_rebar(gb_tape *tape, gb_node row)
{
    (void)tape, (void)row;
    return gb_rebar(.learn = true);
}

/* At the rate of the model, in 200 steps: the average has 1.5e4, the node 74 and RELAX 1.5e4. Learned in the
 * unit of the cost, the last two had 4e9. */
TEST(what_is_learned_of_far_costs_helps_soon)
{
    double last;
    const double average = variance_of_far_costs(by_average, 1, GB_DOUBLE, &last),
                 node = variance_of_far_costs(by_node, 1, GB_DOUBLE, &last),
                 relax = variance_of_far_costs(by_relax, 1, GB_DOUBLE, &last);
    if (!(node < 0.1 * average && relax < 1.2 * average))
        fail_msg("the average has %g, the node %g, RELAX %g", average, node, relax);
}

/* Learning does not depend on the unit of the cost, to the last bit. */
TEST(learning_does_not_depend_on_the_unit)
{
    gb_estimator (*const by[])(gb_tape *, gb_node) = {by_average, by_node, by_relax, by_rebar};
    const double units[] = {1048576, 1 / 1048576.0};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        for (int real = 0; real < 2; real++) {
            double one, other;
            variance_of_far_costs(by[i], 1, real ? GB_FLOAT : GB_DOUBLE, &one);
            for (size_t k = 0; k < 2; k++) {
                variance_of_far_costs(by[i], units[k], real ? GB_FLOAT : GB_DOUBLE, &other);
                if (other != units[k] * one)
                    fail_msg("estimator %zu, unit %g: %.17g, not %.17g", i, units[k], other, units[k] * one);
            }
        }
}

/* ---- relatives ---- */

TEST(vargrad_is_the_score_with_the_others_as_baseline)
{
    trial a = start(gb_vargrad(), 5, 0.6, 0.8, exp_cost),
          b = start(gb_score(.baseline = gb_leave_one_out()), 5, 0.6, 0.8, exp_cost);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(a.program), GB_OK);
        assert_int_equal(gb_run(b.program), GB_OK);
        assert_true(fabs(gb_value(a.of_mu) - gb_value(b.of_mu)) < 1e-12);
        assert_true(fabs(gb_value(a.of_sigma) - gb_value(b.of_sigma)) < 1e-12);
    }
    gb_program_set_samples(a.program, 1);
    assert_int_equal(gb_run(a.program), GB_EARGUMENT);
    assert_rejected(a.t, GB_EARGUMENT, "vargrad: a single sample has no others");
}

/* With q the exact posterior log q − log p is a constant: no sample has any gradient. */
TEST(sticking_the_landing_has_no_variance_at_the_posterior, .seed = 7)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(), gb_fill(1.2)),
                  sigma = gb_variable(t, "sigma", gb_shape(), gb_fill(0.6));
    const gb_node z = gb_draw(e, "z", gb_normal(mu, sigma), gb_sticking_the_landing());
    const gb_node log_p = gb_log_prob(gb_normal(gb_num(t, 1.2), gb_num(t, 0.6)), z);
    const gb_node loss = gb_expected(e, gb_sub(gb_draw_log_prob(e, z, gb_num(t, 1)), log_p));
    const gb_node g[] = {gb_grad(loss, mu), gb_grad(loss, sigma)};
    gb_program *p = gb_compile(t, gb_roots(g[0], g[1]), gb_no_update);
    for (int run = 0; run < 100; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        assert_true(fabs(gb_value(g[0])) <= 1e-10 && fabs(gb_value(g[1])) <= 1e-10);
    }
    gb_expected(e, gb_square(z));
    assert_rejected(t, GB_EARGUMENT,
                    "sticking_the_landing of draw z needs its log q in the cost, by gb_draw_log_prob");
}
