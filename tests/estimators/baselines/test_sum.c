/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of baselines: the second is one of what the first leaves of the cost. Formulas draw by draw, exact
 * means and variances, learning, and what is rejected. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/hermite.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const double MU = 0.6, SIGMA = 0.8;

static gb_node cube(gb_node z)
{
    return gb_mul(z, gb_square(z));
}

/* ---- formulas ---- */

TEST(constants_add_up)
{
    const gb_baseline both = gb_sum_baseline(gb_constant_baseline(2.5), gb_constant_baseline(-0.75));
    trial c = start(gb_score(.baseline = both), 1, MU, SIGMA, cube);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(c.program), GB_OK);
        const double z = gb_value(c.z);
        assert_true(near(gb_value(c.of_mu), (z * z * z - 1.75) * (z - MU) / (SIGMA * SIGMA)));
    }
}

/* Of z³ the series around μ leaves (z − μ)³. */
static double left(double z)
{
    return (z - MU) * (z - MU) * (z - MU);
}

TEST(a_series_is_subtracted_and_then_the_mean_of_others)
{
    enum { SAMPLES = 3 };
    const gb_baseline both = gb_sum_baseline(gb_delta(), gb_leave_one_out());
    trial c = start(gb_score(.baseline = both), SAMPLES, MU, SIGMA, cube);
    for (int run = 0; run < 20; run++) {
        double z[2 * SAMPLES],
            g = 3 * MU * MU + 3 * SIGMA * SIGMA * 0; /* evaluations: draws, then the mean */
        assert_int_equal(gb_run(c.program), GB_OK);
        assert_int_equal(gb_read(c.z, z, gb_value_count(c.z)), GB_OK);
        for (int i = 0; i < SAMPLES; i++) {
            double others = 0;
            for (int j = 0; j < SAMPLES; j++)
                others += j == i ? 0 : left(z[2 * j]) / (SAMPLES - 1);
            g += (left(z[2 * i]) - others) * (z[2 * i] - MU) / (SIGMA * SIGMA) / SAMPLES;
        }
        assert_true(near(gb_value(c.of_mu), g));
    }
}

/* By the noise of two samples: ½ (r_1 − r_2) (e_1 − e_2) / σ with r = σ³ e³, besides what is exact. */
TEST(its_variance_is_that_of_a_quadrature)
{
    enum { NODES = 16 };
    double node[NODES], weight[NODES], mean = 0, second = 0;
    moments m;
    assert_true(gb_hermite_rule(NODES, node, weight));
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            const double r = pow(SIGMA, 3) * (pow(node[i], 3) - pow(node[j], 3)),
                         g = r * (node[i] - node[j]) / (2 * SIGMA);
            mean += weight[i] * weight[j] * g;
            second += weight[i] * weight[j] * g * g;
        }
    const double variance = second - mean * mean, exact = 3 * (MU * MU + SIGMA * SIGMA);
    assert_true(near(mean + 3 * MU * MU, exact));
    const gb_baseline both = gb_sum_baseline(gb_delta(), gb_leave_one_out());
    trial c = start(gb_score(.baseline = both), 2, MU, SIGMA, cube);
    collect(c.program, 100000, 1, &c.of_mu, &m);
    assert_true(fabs(m.mean - exact) < z_bound(1e-6, 2) * m.mean_error);
    assert_true(fabs(m.variance - variance) < z_bound(1e-6, 2) * m.variance_error);
    assert_true(m.variance_error < 0.05 * variance);
}

/* ---- a function of the data, and the mean of other rows on what is left ---- */

TEST(a_node_is_subtracted_before_the_mean_of_other_rows, .seed = 2)
{
    enum { ROWS = 3 };
    static const double data[ROWS] = {1, -2, 0.5};
    double z[ROWS], left_of[ROWS], g = 0, sum = 0;
    gb_expect *const e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), a = gb_variable(t, "a", gb_shape(), gb_fill(0.7));
    const gb_node u = gb_scale(gb_square(x), 1.5);
    const gb_baseline both = gb_sum_baseline(gb_learned_baseline(u), gb_leave_one_row_out());
    const gb_node draw = gb_draw(e, "z", gb_normal(gb_mul(a, x), gb_num(t, 1)), gb_score(.baseline = both));
    const gb_node of_a = gb_grad(gb_expected(e, gb_sum_over(gb_square(draw), GB_ROWS)), a);
    gb_program *const p = gb_compile(t, gb_roots(draw, of_a), gb_no_update);
    gb_feed(x, data, ROWS);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(draw, z, ROWS);
        sum = g = 0;
        for (int i = 0; i < ROWS; i++)
            sum += left_of[i] = z[i] * z[i] - 1.5 * data[i] * data[i];
        for (int i = 0; i < ROWS; i++)
            g += (left_of[i] - (sum - left_of[i]) / 2) * data[i] * (z[i] - 0.7 * data[i]);
        assert_true(near(gb_value(of_a), g));
    }
}

/* What is the same for all samples cancels: the page says so. */
TEST(a_node_of_no_draw_cancels_in_the_mean_of_other_samples)
{
    const gb_estimator by[] = {
        gb_score(.baseline = gb_sum_baseline(gb_constant_baseline(3), gb_leave_one_out())),
        gb_score(.baseline = gb_leave_one_out())};
    double of_mu[2];
    for (int k = 0; k < 2; k++) {
        trial c = start(by[k], 4, MU, SIGMA, cube);
        assert_int_equal(gb_run(c.program), GB_OK);
        of_mu[k] = gb_value(c.of_mu);
    }
    assert_near(of_mu[0], of_mu[1], 1e-12);
}

/* ---- two draws, the baseline of the second being one of the first ---- */

/* b sets the logit 1.5 b − 0.5 of c, and the cost is (b + 2 c − 1.2)² + b c. The baseline of c is 0.8 b +
 * 0.3, and the mean of the other sample on what is left. By all outcomes of two samples. */
TEST(it_is_unbiased_after_another_draw, .seed = 8, .samples = 2)
{
    enum { OUTCOMES = 16 };
    gb_expect *const e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(), gb_fill(-0.4)),
                  shift = gb_variable(t, "shift", gb_shape(), gb_fill(-0.5));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), gb_score(.baseline = gb_leave_one_out()));
    const gb_baseline both =
        gb_sum_baseline(gb_learned_baseline(gb_shift(gb_scale(b, 0.8), 0.3)), gb_leave_one_out());
    const gb_node c =
        gb_draw(e, "c", gb_bernoulli_logits(gb_add(gb_scale(b, 1.5), shift)), gb_score(.baseline = both));
    const gb_node cost = gb_add(gb_square(gb_shift(gb_add(b, gb_scale(c, 2)), -1.2)), gb_mul(b, c));
    const gb_node loss = gb_expected(e, cost), of_phi = gb_grad(loss, phi), of_shift = gb_grad(loss, shift);
    gb_program *const program = gb_compile(t, gb_roots(b, c, of_phi, of_shift), gb_no_update);
    assert_fine(t);
    const double p = sigmoid(-0.4);
    bool seen[OUTCOMES] = {false};
    double all = 0, mean[2] = {0, 0}, exact[2] = {0, 0};
    for (int run = 0; run < 20000 && all < 1 - 1e-12; run++) {
        double x[2], y[2], chance = 1, f[2], u[2], score[2];
        int code = 0;
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(b, x, 2);
        gb_read(c, y, 2);
        for (int k = 0; k < 2; k++) {
            const double q = sigmoid(1.5 * x[k] - 0.5);
            chance *= (x[k] == 1 ? p : 1 - p) * (y[k] == 1 ? q : 1 - q);
            code = 4 * code + 2 * (x[k] == 1) + (y[k] == 1);
            f[k] = pow(x[k] + 2 * y[k] - 1.2, 2) + x[k] * y[k];
            u[k] = 0.8 * x[k] + 0.3;
            score[k] = y[k] - q;
        }
        const double g =
            ((f[0] - u[0] - (f[1] - u[1])) * score[0] + (f[1] - u[1] - (f[0] - u[0])) * score[1]) / 2;
        assert_true(near(gb_value(of_shift), g));
        mean[0] += seen[code] ? 0 : chance * gb_value(of_phi);
        mean[1] += seen[code] ? 0 : chance * gb_value(of_shift);
        all += seen[code] ? 0 : chance;
        seen[code] = true;
    }
    for (int k = 0; k < 4; k++) {
        const double x = k / 2, y = k % 2, q = sigmoid(1.5 * x - 0.5), f = pow(x + 2 * y - 1.2, 2) + x * y;
        exact[0] += (x == 1 ? 1 : -1) * p * (1 - p) * (y == 1 ? q : 1 - q) * f;
        exact[1] += (x == 1 ? p : 1 - p) * (y == 1 ? 1 : -1) * q * (1 - q) * f;
    }
    assert_near(all, 1, 1e-12);
    assert_near(mean[0], exact[0], 1e-12);
    assert_near(mean[1], exact[1], 1e-12);
}

/* ---- learning ---- */

/* Both parts are means of earlier runs, with variables of their own: the second of what the first left. */
TEST(each_part_learns_for_itself)
{
    const gb_baseline both =
        gb_sum_baseline(gb_moving_average(.decay = 0.8), gb_moving_average(.decay = 0.5));
    trial c = start(gb_score(.baseline = both), 1, MU, SIGMA, cube);
    gb_learned learned[8];
    gb_updates updates = gb_no_update;
    assert_int_equal(gb_node_learned(c.loss, learned, 8), 4);
    for (int i = 0; i < 4; i++)
        updates = gb_updates_join(updates, gb_assign(learned[i].variable[0], learned[i].target));
    assert_true(gb_tape_has_variable(c.t, "z.first.baseline") &&
                gb_tape_has_variable(c.t, "z.rest.baseline"));
    gb_program *const train = gb_compile(c.t, gb_roots(c.z, c.of_mu), updates);
    double sum[2] = {0, 0}, weight[2] = {0, 0};
    const double decay[2] = {0.8, 0.5};
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(train), GB_OK);
        const double z = gb_value(c.z);
        double rest = z * z * z;
        for (int k = 0; k < 2; k++) {
            const double now = rest;
            rest -= weight[k] > 0 ? sum[k] / weight[k] : 0;
            sum[k] = decay[k] * sum[k] + (1 - decay[k]) * now;
            weight[k] = decay[k] * weight[k] + 1 - decay[k];
        }
        assert_true(near(gb_value(c.of_mu), rest * (z - MU) / (SIGMA * SIGMA)));
    }
}

/* The cost of a row is (z − x)² with z ~ N(0, 1), so its mean is 1 + x². A learned slope takes what differs
 * between rows, and the other rows the level. */
TEST(a_function_of_the_data_is_learned_beside_other_rows, .seed = 4)
{
    enum { ROWS = 4 };
    static const double data[ROWS] = {0, 1, -2, 3};
    gb_expect *const e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), mu = gb_variable(t, "mu", gb_shape(), gb_fill(0)),
                  slope = gb_variable(t, "slope", gb_shape(), gb_fill(0));
    const gb_baseline both = gb_sum_baseline(gb_learned_baseline(gb_mul(slope, gb_shift(gb_square(x), -3.5))),
                                             gb_leave_one_row_out());
    const gb_node z = gb_draw_over(e, "z", gb_normal(mu, gb_num(t, 1)), GB_ROWS, gb_score(.baseline = both));
    const gb_node loss = gb_expected(e, gb_sum_over(gb_square(gb_sub(z, x)), GB_ROWS)), g = gb_grad(loss, mu);
    gb_program *const train = gb_compile(t, gb_roots(g), gb_minimise(loss, gb_adam(.lr = 0.02))),
                      *const look = gb_compile(t, gb_roots(g), gb_no_update);
    gb_feed(x, data, ROWS);
    assert_fine(t);
    moments before, after;
    collect(look, 4000, 1, &g, &before);
    for (int run = 0; run < 1500; run++) {
        gb_set(mu, GB_VALUES(0));
        assert_int_equal(gb_run(train), GB_OK);
    }
    gb_set(mu, GB_VALUES(0));
    collect(look, 4000, 1, &g, &after);
    assert_near(before.mean, -4, 6 * before.mean_error);
    assert_near(after.mean, -4, 6 * after.mean_error);
    assert_true(after.variance < 0.7 * before.variance);
}

/* ---- what is rejected ---- */

static void drawn_by(gb_tape *tape, gb_baseline baseline)
{
    gb_expect *const e = gb_expect_new(tape);
    const gb_node mu = gb_variable(tape, "mu", gb_shape(), gb_fill(0));
    gb_expected(e,
                gb_square(gb_draw(e, "z", gb_normal(mu, gb_num(tape, 1)), gb_score(.baseline = baseline))));
}

TEST(only_the_first_may_evaluate, .samples = 2)
{
    drawn_by(t, gb_sum_baseline(gb_leave_one_out(), gb_delta()));
    assert_rejected(
        t, GB_EARGUMENT,
        "draw z.rest: the baseline delta evaluates the cost at values of its own, or depends on the "
        "draw, and the rest of a sum has no place for that");
    gb_tape *const other = test_tape(.samples = 2);
    drawn_by(other, gb_sum_baseline(gb_leave_one_out(), gb_sum_baseline(gb_delta(), gb_fitted())));
    assert_rejected(other, GB_EARGUMENT, "draw z.rest: the baseline sum evaluates");
}

static gb_node the_draw(const gb_site *site, const void *options, gb_node cost)
{
    (void)options, (void)cost;
    return gb_site_value(site, 0);
}

static gb_node its_mean(const gb_site *site, const void *options, gb_node cost)
{
    (void)options, (void)cost;
    return gb_dist_mean(site->q);
}

static const gb_baseline_type draw_type = {.size = sizeof(gb_baseline_type),
                                           .name = "its_draw",
                                           .formula = "z",
                                           .value = the_draw,
                                           .expected = its_mean};

TEST(only_the_first_may_depend_on_the_draw, .samples = 2)
{
    drawn_by(t, gb_sum_baseline(gb_baseline_of(&draw_type, NULL), gb_leave_one_out()));
    assert_fine(t);
    gb_tape *const other = test_tape(.samples = 2);
    drawn_by(other, gb_sum_baseline(gb_leave_one_out(), gb_baseline_of(&draw_type, NULL)));
    assert_rejected(other, GB_EARGUMENT, "draw z.rest: the baseline its_draw evaluates");
}

TEST(a_part_lacks_what_it_lacks)
{
    gb_expect *const e = gb_expect_new(t);
    gb_draw(e, "x", gb_bernoulli(gb_num(t, 0.4)),
            gb_score(.baseline = gb_sum_baseline(gb_delta(), gb_leave_one_out())));
    assert_rejected(t, GB_EARGUMENT, "needs a density over independent numbers");
}

TEST(its_text_is_read_and_written)
{
    static const char *const same[] = {"score:baseline=sum(moving_average(decay=0.5):leave_one_out)",
                                       "score:baseline=sum(sum(delta:fitted):leave_one_out)",
                                       "score:baseline=sum(none:constant(2))"};
    char text[120], error[200];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        gb_estimator by;
        if (!gb_estimator_parse(same[i], &by, error, sizeof error))
            fail_msg("%s", error);
        gb_estimator_text(by, text, sizeof text);
        assert_string_equal(text, same[i]);
    }
    gb_estimator by;
    assert_false(gb_estimator_parse("score:baseline=sum(loo)", &by, error, sizeof error));
    assert_non_null(strstr(error, "sum needs rest"));
}
