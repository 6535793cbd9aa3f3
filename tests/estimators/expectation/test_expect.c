/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations and their estimators: identities that hold draw by draw, then moments against closed forms,
 * then what is rejected. */
#include "support/close.h"

#include "core/gradient.h"
#include "core/noise.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/expect.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "estimators/trial.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* E (z − K)² under N(mu, sigma), with its gradients. */
enum { MOST_SAMPLES = 8 };
static const double MU = 0.6, SIGMA = 0.8, K = 1.7;

static gb_node square_cost(gb_node z)
{
    return gb_square(gb_shift(z, -K));
}

static trial square_under(gb_estimator estimator, int samples)
{
    return start(estimator, samples, MU, SIGMA, square_cost);
}

/* ---- sample by sample ---- */

/* The mean over samples of (f − b) times the score, b as `baseline` says. */
static void expected_gradients(const double *z, int samples, bool pathwise, bool leave_one_out, double out[3])
{
    double f[MOST_SAMPLES], sum = 0;
    for (int i = 0; i < samples; i++)
        sum += f[i] = (z[i] - K) * (z[i] - K);
    out[0] = sum / samples;
    out[1] = out[2] = 0;
    for (int i = 0; i < samples; i++) {
        const double noise = (z[i] - MU) / SIGMA;
        const double a = leave_one_out ? f[i] - (sum - f[i]) / (samples - 1) : f[i];
        out[1] += (pathwise ? 2 * (z[i] - K) : a * noise / SIGMA) / samples;
        out[2] += (pathwise ? 2 * (z[i] - K) * noise : a * (noise * noise - 1) / SIGMA) / samples;
    }
}

static void identity_holds(gb_estimator estimator, int samples, bool pathwise, bool leave_one_out)
{
    double z[MOST_SAMPLES], should[3];
    trial c = square_under(estimator, samples);
    for (int run = 0; run < 20; run++) {
        assert_int_equal(gb_run(c.program), GB_OK);
        assert_int_equal(gb_read(c.z, z, (size_t)samples), GB_OK);
        expected_gradients(z, samples, pathwise, leave_one_out, should);
        assert_close(gb_value(c.loss), should[0], 16);
        assert_true(near(gb_value(c.of_mu), should[1]));
        assert_true(near(gb_value(c.of_sigma), should[2]));
    }
}

TEST(gradients_are_their_formulas_sample_by_sample)
{
    for (int samples = 1; samples <= MOST_SAMPLES; samples += 3) {
        identity_holds(gb_pathwise(), samples, true, false);
        identity_holds(gb_score(.baseline = gb_no_baseline()), samples, false, false);
    }
    for (int samples = 2; samples <= MOST_SAMPLES; samples += 3)
        identity_holds(gb_score(.baseline = gb_leave_one_out()), samples, false, true);
}

TEST(a_run_repeated_at_its_step_is_the_same)
{
    trial c = square_under(gb_pathwise(), 4);
    assert_int_equal(gb_run(c.program), GB_OK);
    const double first = gb_value(c.of_mu);
    assert_int_equal(gb_run(c.program), GB_OK);
    assert_true(gb_value(c.of_mu) != first);
    gb_program_set_step(c.program, 0);
    assert_int_equal(gb_run(c.program), GB_OK);
    assert_true(gb_value(c.of_mu) == first);
}

/* ∂² E / ∂σ² of one pathwise sample is 2 ε², and ∂² / ∂μ ∂σ is 2 ε. */
TEST(second_pathwise_gradients_are_their_formulas)
{
    trial c = square_under(gb_pathwise(), 1);
    const gb_node twice = gb_grad(c.of_sigma, c.sigma), mixed = gb_grad(c.of_mu, c.sigma);
    gb_program *p = gb_compile(c.t, gb_roots(c.z, twice, mixed), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    const double noise = (gb_value(c.z) - MU) / SIGMA;
    assert_true(fabs(gb_value(twice) - 2 * noise * noise) < 1e-12);
    assert_true(fabs(gb_value(mixed) - 2 * noise) < 1e-12);
}

/* log q − log p with p equal to q costs nothing, in whatever sample: the estimators have no variance to
 * add. */
TEST(at_the_optimum_a_score_gradient_is_zero_for_every_sample, .seed = 2, .samples = 3)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(2), gb_fill(MU)),
                  sigma = gb_variable(t, "sigma", gb_shape(2), gb_fill(SIGMA));
    const gb_dist p = gb_normal(gb_num(t, MU), gb_num(t, SIGMA));
    const gb_node z = gb_draw(e, "z", gb_normal(mu, sigma), gb_score(.baseline = gb_leave_one_out()));
    const gb_node log_q = gb_draw_log_prob(e, z, gb_num(t, 1));
    const gb_node loss = gb_expected(e, gb_sub(log_q, gb_per_sample(gb_log_prob(p, z))));
    const gb_node of_mu = gb_grad(loss, mu), of_sigma = gb_grad(loss, sigma);
    gb_program *program = gb_compile(t, gb_roots(of_mu, of_sigma), gb_no_update);
    for (int run = 0; run < 10; run++) {
        double g[4];
        assert_int_equal(gb_run(program), GB_OK);
        assert_int_equal(gb_read(of_mu, g, 2), GB_OK);
        assert_int_equal(gb_read(of_sigma, g + 2, 2), GB_OK);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(g[i]) <= 1e-10);
    }
}

/* A cost that no draw reaches has no score. */
TEST(a_cost_without_a_draw_has_its_ordinary_gradient, .seed = 2, .samples = 3)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(), gb_fill(3));
    gb_draw(e, "z", gb_normal(mu, gb_num(t, 1)), gb_score(.baseline = gb_leave_one_out()));
    assert_values(gb_grad(gb_expected(e, gb_square(mu)), mu), 6);
}

/* The gradient in a of E f(z), z = a x + noise for three rows, with f(z) = Σ z² or (Σ z)². */
static double gradient_over_rows(bool apart, double should[1])
{
    static const double data[] = {1, -2, 0.5};
    double z[3], score = 0, sum = 0;
    gb_tape *const t = test_tape(.seed = 2);
    gb_expect *e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), a = gb_variable(t, "a", gb_shape(), gb_fill(0.7));
    const gb_node draw =
        gb_draw(e, "z", gb_normal(gb_mul(a, x), gb_num(t, 1)), gb_score(.baseline = gb_no_baseline()));
    const gb_node cost =
        apart ? gb_sum_over(gb_square(draw), GB_ROWS) : gb_square(gb_sum_over(draw, GB_ROWS));
    const gb_node g = gb_grad(gb_expected(e, cost), a);
    gb_program *p = gb_compile(t, gb_roots(draw, g), gb_no_update);
    gb_feed(x, data, 3);
    assert_int_equal(gb_run(p), GB_OK);
    assert_int_equal(gb_read(draw, z, 3), GB_OK);
    *should = 0;
    for (int i = 0; i < 3; i++) {
        score += data[i] * (z[i] - 0.7 * data[i]);
        sum += z[i];
        *should += data[i] * (z[i] - 0.7 * data[i]) * z[i] * z[i];
    }
    if (!apart)
        *should = score * sum * sum;
    const double is = gb_value(g);
    return is;
}

TEST(rows_that_stay_apart_are_weighted_apart)
{
    double should;
    const double is = gradient_over_rows(true, &should);
    assert_close(is, should, 64);
}

TEST(rows_that_the_cost_mixes_are_one_joint_draw)
{
    double should;
    const double is = gradient_over_rows(false, &should);
    assert_close(is, should, 64);
}

/* ---- moments ---- */

typedef struct case_of_moments {
    const char *name;
    gb_estimator estimator;
    int samples;
    double variance[2]; /* of the gradients in mu and sigma; 0: no closed form here */
} case_of_moments;

/* Gradients are unbiased, and their variances the closed forms for one sample. Five means and three variances
 * in each of mu and sigma: 16 tests, which together fail by chance once in a million seeds. */
TEST(means_and_variances_are_the_closed_forms)
{
    const double d = MU - K, s2 = SIGMA * SIGMA, d2 = d * d;
    const case_of_moments cases[] = {
        {"pathwise", gb_pathwise(), 1, {4 * s2, 4 * d2 + 8 * s2}},
        {"score",
         gb_score(.baseline = gb_no_baseline()),
         1,
         {d2 * d2 / s2 + 14 * d2 + 15 * s2, 2 * d2 * d2 / s2 + 60 * d2 + 74 * s2}},
        {"pathwise, 4", gb_pathwise(), 4, {s2, d2 + 2 * s2}},
        {"leave one out, 2", gb_score(.baseline = gb_leave_one_out()), 2, {0}},
        {"leave one out, 4", gb_score(.baseline = gb_leave_one_out()), 4, {0}},
    };
    const double exact[] = {2 * d, 2 * SIGMA}, bound = z_bound(1e-6, 16);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        moments m[2];
        trial c = square_under(cases[i].estimator, cases[i].samples);
        collect(c.program, 150000, 2, (const gb_node[]){c.of_mu, c.of_sigma}, m);
        for (int k = 0; k < 2; k++) {
            assert_true(sees_bias(&m[k], 0.3 * fabs(exact[k])));
            if (fabs(m[k].mean - exact[k]) > bound * m[k].mean_error)
                fail_msg("%s, %d: mean %g ± %g, not %g", cases[i].name, k, m[k].mean, m[k].mean_error,
                         exact[k]);
            const double variance = cases[i].variance[k];
            if (variance > 0 && fabs(m[k].variance - variance) > bound * m[k].variance_error)
                fail_msg("%s, %d: variance %g ± %g, not %g", cases[i].name, k, m[k].variance,
                         m[k].variance_error, variance);
        }
    }
}

/* A baseline with its own sample in it: the mean over all of them. It takes 1 / S off the gradient. */
static gb_node own_sample_value(const gb_site *site, const void *options, gb_node cost)
{
    (void)site, (void)options;
    return gb_mean_over(cost, GB_SAMPLES);
}
static const gb_baseline_type own_sample_type = {.size = sizeof(gb_baseline_type),
                                                 .name = "own_sample",
                                                 .formula = "the mean over all samples",
                                                 .value = own_sample_value};

TEST(a_baseline_with_its_own_sample_is_caught)
{
    moments m;
    trial c = square_under(gb_score(.baseline = {.type = &own_sample_type}), 4);
    collect(c.program, 150000, 1, &c.of_mu, &m);
    const double exact = 2 * (MU - K);
    assert_true(fabs(m.mean - exact) > z_bound(1e-6, 1) * m.mean_error);
    assert_true(fabs(m.mean - 0.75 * exact) < z_bound(1e-6, 1) * m.mean_error);
}

/* The Hessian of σ² + (μ − K)² is 2 I; with log q in the cost, E log q = −log σ + …, it gains 1 / σ² in σ.
 * Four numbers for each: eight tests. Two of them are exact for the plain cost, and would fail were the
 * coefficient of the score held fixed. */
TEST(second_score_gradients_are_unbiased)
{
    for (int with_entropy = 0; with_entropy < 2; with_entropy++) {
        moments m[4];
        gb_tape *const tape = test_tape(.seed = 8, .samples = 8);
        gb_expect *e = gb_expect_new(tape);
        const gb_node mu = gb_variable(tape, "mu", gb_shape(), gb_fill(MU)),
                      sigma = gb_variable(tape, "sigma", gb_shape(), gb_fill(1));
        const gb_node z = gb_draw(e, "z", gb_normal(mu, sigma), gb_score(.baseline = gb_leave_one_out()));
        gb_node cost = gb_square(gb_shift(z, -K));
        if (with_entropy)
            cost = gb_add(cost, gb_draw_log_prob(e, z, gb_num(tape, 1)));
        const gb_node loss = gb_expected(e, cost), of_mu = gb_grad(loss, mu), of_sigma = gb_grad(loss, sigma);
        const gb_node second[] = {gb_grad(of_mu, mu), gb_grad(of_sigma, sigma), gb_grad(of_mu, sigma),
                                  gb_grad(of_sigma, mu)};
        gb_program *p = gb_compile(tape, (gb_node_list){.count = 4, .node = second}, gb_no_update);
        assert_fine(tape);
        collect(p, 60000, 4, second, m);
        const double exact[] = {2, 2 + with_entropy, 0, 0};
        for (int k = 0; k < 4; k++)
            if (fabs(m[k].mean - exact[k]) > z_bound(1e-6, 8) * m[k].mean_error)
                fail_msg("entropy %d, %d: %g ± %g, not %g", with_entropy, k, m[k].mean, m[k].mean_error,
                         exact[k]);
        assert_true(sees_bias(&m[0], 0.5));
    }
}

/* z₂ ~ N(z₁, σ), z₁ ~ N(μ, 1), each with either estimator: E (z₂ − K)² = (μ − K)² + 1 + σ². Eight tests. */
TEST(estimators_of_dependent_draws_can_be_mixed)
{
    const gb_estimator either[] = {gb_pathwise(), gb_score(.baseline = gb_leave_one_out())};
    const double exact[] = {2 * (MU - K), 2 * SIGMA};
    for (int i = 0; i < 4; i++) {
        moments m[2];
        gb_tape *const tape = test_tape(.seed = 9, .samples = 4);
        gb_expect *e = gb_expect_new(tape);
        const gb_node mu = gb_variable(tape, "mu", gb_shape(), gb_fill(MU)),
                      sigma = gb_variable(tape, "sigma", gb_shape(), gb_fill(SIGMA));
        const gb_node first = gb_draw(e, "first", gb_normal(mu, gb_num(tape, 1)), either[i / 2]);
        const gb_node last = gb_draw(e, "last", gb_normal(first, sigma), either[i % 2]);
        const gb_node loss = gb_expected(e, gb_square(gb_shift(last, -K)));
        const gb_node g[] = {gb_grad(loss, mu), gb_grad(loss, sigma)};
        gb_program *p = gb_compile(tape, (gb_node_list){.count = 2, .node = g}, gb_no_update);
        assert_fine(tape);
        collect(p, 60000, 2, g, m);
        for (int k = 0; k < 2; k++) {
            assert_true(sees_bias(&m[k], 0.3 * fabs(exact[k])));
            if (fabs(m[k].mean - exact[k]) > z_bound(1e-6, 8) * m[k].mean_error)
                fail_msg("%d, %d: %g ± %g, not %g", i, k, m[k].mean, m[k].mean_error, exact[k]);
        }
    }
}

/* ---- rejections ---- */

TEST(a_gradient_of_an_open_draw_is_rejected)
{
    trial c = square_under(gb_pathwise(), 1);
    assert_fine(c.t);
    gb_grad(gb_mean_over(c.each, GB_SAMPLES), c.mu);
    assert_rejected(c.t, GB_EGRADIENT, "depends on a draw outside an expectation");
}

TEST(draws_of_another_expectation_are_rejected)
{
    trial c = square_under(gb_pathwise(), 1);
    gb_expect *other = gb_expect_new(c.t);
    assert_false(gb_node_ok(gb_expected(other, c.each)));
    assert_rejected(c.t, GB_EARGUMENT, "the cost depends on draw z, which belongs to another expectation");
    assert_true(gb_node_ok(gb_expected(other, gb_square(c.loss)))); /* closed: an ordinary number */
    gb_draw_log_prob(other, c.z, gb_num(c.t, 1));
    assert_rejected(c.t, GB_EARGUMENT, "is not a draw of this expectation");
    gb_draw_log_prob(c.e, c.z, gb_num(c.t, 1));
    gb_draw_log_prob(c.e, c.z, gb_num(c.t, 1));
    assert_rejected(c.t, GB_EARGUMENT, "draw z: gb_draw_log_prob was called for it before");
}

TEST(costs_that_mix_samples_need_the_path)
{
    trial path = square_under(gb_pathwise(), 2),
          score = square_under(gb_score(.baseline = gb_no_baseline()), 2);
    assert_true(gb_node_ok(gb_expected(path.e, gb_square(gb_mean_over(path.z, GB_SAMPLES)))));
    gb_expected(score.e, gb_mul(score.z, gb_stop(gb_mean_over(score.z, GB_SAMPLES))));
    assert_rejected(score.t, GB_EARGUMENT, "depends on other samples");
}

TEST(one_sample_has_no_others)
{
    trial c = square_under(gb_score(.baseline = gb_leave_one_out()), 1);
    assert_int_equal(gb_run(c.program), GB_EARGUMENT);
    assert_rejected(c.t, GB_EARGUMENT, "leave_one_out: a single sample has no others");
    gb_program *only_value = gb_compile(c.t, gb_roots(c.loss), gb_no_update);
    assert_int_equal(gb_run(only_value), GB_OK);
    gb_program_set_samples(c.program, 2);
    assert_int_equal(gb_run(c.program), GB_OK);
}

/* ---- needs ---- */

/* Draws that are weighted values have no axis of samples, and their samples differ nevertheless. */
static gb_node mean_of_samples(gb_node z)
{
    return gb_mean_over(z, GB_SAMPLES);
}

static gb_node sum_of_samples(gb_node z)
{
    return gb_sum_over(z, GB_SAMPLES);
}

static gb_node largest_of_samples(gb_node z)
{
    return gb_maximum_over(z, GB_SAMPLES);
}

static gb_node logsumexp_of_samples(gb_node z)
{
    return gb_logsumexp_over(z, GB_SAMPLES);
}

static gb_node sample_3(gb_node z)
{
    return gb_select(z, GB_SAMPLES, 3);
}

static const struct mixing {
    const char *name;
    gb_node (*of)(gb_node z);
} mixings[] = {{"their mean", mean_of_samples},
               {"their sum", sum_of_samples},
               {"the largest", largest_of_samples},
               {"the log of the sum of exponentials", logsumexp_of_samples},
               {"one of them", sample_3}};

TEST_EACH(weighted_values_need_separate_samples, mixings)
{
    const struct mixing *const mixing = row;
    const gb_estimator by[] = {gb_quadrature(), gb_enumerated()};
    for (size_t i = 0; i < 2; i++) {
        gb_tape *const tape = test_tape(.samples = 5);
        gb_expect *e = gb_expect_new(tape);
        const gb_node m = gb_variable(tape, "m", gb_shape(), gb_fill(0.3)), one = gb_num(tape, 1);
        const gb_node z = gb_draw(e, "z", i == 0 ? gb_normal(m, one) : gb_bernoulli_logits(m), by[i]);
        const gb_node mixed = gb_square(mixing->of(z));
        assert_true(gb_node_ok(mixed));
        gb_expected(e, mixed);
        assert_rejected(tape, GB_EARGUMENT, "the cost of one sample depends on other samples");
        gb_sample_values(e, mixed);
        assert_rejected(tape, GB_EARGUMENT, "the cost of one sample depends on other samples");
        gb_mean_of_draws(e, gb_sub(z, mixing->of(z)));
        assert_rejected(tape, GB_EARGUMENT, "the cost of one sample depends on other samples");
        assert_true(gb_node_ok(gb_sd_of_draws(e, z)));
        assert_true(gb_node_ok(gb_expected(e, gb_square(z))));
    }
}

/* Needs that depend on options count in predictions too: mirrored pairs have the mean 0 of their own. */
TEST(draws_made_together_need_separate_samples_for_values_too, .samples = 2)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node m = gb_variable(t, "m", gb_shape(), gb_fill(0.3));
    const gb_node z = gb_draw(e, "z", gb_normal(m, gb_num(t, 1)), gb_pathwise(.draws = GB_ANTITHETIC));
    gb_sample_values(e, gb_square(gb_mean_over(z, GB_SAMPLES)));
    assert_rejected(t, GB_EARGUMENT, "the cost of one sample depends on other samples");
    assert_true((gb_estimator_needs(gb_pathwise(.draws = GB_SOBOL)) & GB_NEEDS_SEPARATE_SAMPLES) != 0);
    assert_true((gb_estimator_needs(gb_pathwise()) & GB_NEEDS_SEPARATE_SAMPLES) == 0);
    assert_int_equal(gb_estimator_needs((gb_estimator){0}), 0);
}

/* A parameter that is a mean over samples has no axis, and depends on draws all the same. */
TEST(weights_that_depend_on_a_mean_of_draws_are_looked_at, .samples = 3)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node m = gb_variable(t, "m", gb_shape(), gb_fill(0.3));
    const gb_node z = gb_draw(e, "z", gb_normal(m, gb_num(t, 1)), gb_score());
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(gb_mean_over(z, GB_SAMPLES)), gb_enumerated());
    gb_expected(e, b);
    assert_rejected(t, GB_EARGUMENT, "the cost of one sample depends on other samples");
}

/* Each row has a choice of its own, also if it has the nodes of all. */
TEST(quadrature_of_draws_for_each_row_is_row_by_row)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node m = gb_variable(t, "m", gb_shape(), gb_fill(0.3)), one = gb_num(t, 1);
    const gb_node r = gb_input_rows(t, "r", gb_shape());
    const gb_node z = gb_draw_over(e, "z", gb_normal(m, one), GB_ROWS, gb_quadrature());
    gb_expected(e, gb_square(gb_sum_over(gb_mul(z, r), GB_ROWS)));
    assert_rejected(t, GB_EARGUMENT, "draw z varies over rows, and quadrature needs a cost");
    gb_mean_of_draws(e, gb_sub(z, gb_mean_over(z, GB_ROWS)));
    assert_rejected(t, GB_EARGUMENT, "the node of one row depends on draws of other rows");
    const gb_node loss = gb_expected(e, gb_sum_over(gb_square(gb_mul(z, r)), GB_ROWS)),
                  log_q = gb_expected(e, gb_draw_log_prob(e, z, one));
    gb_program *p = gb_compile(t, gb_roots(loss, log_q), gb_no_update);
    gb_feed(r, (const double[]){1, -2, 3}, 3);
    assert_int_equal(gb_run(p), GB_OK);
    assert_close(gb_value(loss), 14 * (1 + 0.3 * 0.3), 64);
    assert_close(gb_value(log_q), -3 * 0.5 * (1 + log(2 * acos(-1))), 64);
}

/* An estimator from outside without `combine`: its needs are checked like those of others. */
static gb_node plain_draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

TEST(needs_are_checked_without_a_combine)
{
    static const gb_estimator_type type = {.size = sizeof(gb_estimator_type),
                                           .name = "plain",
                                           .formula = "f",
                                           .needs = GB_NEEDS_SEPARATE_ROWS,
                                           .draw = plain_draw};
    gb_expect *e = gb_expect_new(t);
    const gb_node z =
        gb_draw_over(e, "z", gb_normal(gb_num(t, 0), gb_num(t, 1)), GB_ROWS, gb_estimator_of(&type, NULL));
    assert_true(gb_node_ok(gb_expected(e, gb_sum_over(gb_square(z), GB_ROWS))));
    gb_expected(e, gb_square(gb_sum_over(z, GB_ROWS)));
    assert_rejected(t, GB_EARGUMENT,
                    "draw z varies over rows, and plain needs a cost that is a sum over rows");
}

TEST(what_has_no_type_fits_nothing)
{
    const gb_node one = gb_num(t, 1);
    const gb_dist q = gb_normal(one, one), none = {0};
    assert_non_null(gb_estimator_lacks((gb_estimator){0}, q));
    assert_non_null(gb_estimator_lacks(gb_score(), none));
    assert_non_null(gb_estimator_type_lacks(NULL, q));
    assert_null(gb_estimator_type_lacks(&gb_score_estimator_type, q));
}

TEST(rules_are_counted_without_a_list)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node half = gb_num(t, 0.5);
    const gb_node b = gb_draw(e, "b", gb_bernoulli(half), gb_rebar(.learn = true));
    const gb_node loss = gb_expected(e, b);
    assert_true(gb_node_learned(loss, NULL, 5) == gb_node_learned(loss, NULL, 0));
    assert_true(gb_node_learned(loss, NULL, 5) > 0);
}

/* The score of a draw for all rows is folded first, and multiplied by the costs of all rows. */
TEST(draws_of_rows_before_one_for_all_rows_are_rejected_with_the_ways_out)
{
    const gb_estimator all[] = {gb_enumerated(), gb_measure_valued()};
    const gb_node half = gb_variable(t, "half", gb_shape(), gb_fill(0.5)),
                  x = gb_input_rows(t, "x", gb_shape());
    for (size_t i = 0; i < 2; i++) {
        gb_expect *const e = gb_expect_new(t), *const other = gb_expect_new(t);
        gb_node b = gb_draw_over(e, i ? "b2" : "b1", gb_bernoulli(half), GB_ROWS, all[i]);
        gb_node a = gb_draw(e, i ? "a2" : "a1", gb_bernoulli(half), gb_score());
        gb_expected(e, gb_sum_over(gb_square(gb_sub(gb_add(a, b), x)), GB_ROWS));
        assert_rejected(t, GB_EARGUMENT, i ? "draw a2 before b2" : "draw a1 before b1");
        a = gb_draw(other, i ? "a4" : "a3", gb_bernoulli(half), gb_score());
        b = gb_draw_over(other, i ? "b4" : "b3", gb_bernoulli(half), GB_ROWS, all[i]);
        assert_true(gb_node_ok(gb_expected(other, gb_sum_over(gb_square(gb_sub(gb_add(a, b), x)), GB_ROWS))));
        assert_fine(t);
    }
    gb_expect *const e = gb_expect_new(t);
    const gb_node b = gb_draw_over(e, "b", gb_bernoulli(half), GB_ROWS, gb_enumerated());
    gb_expected(e, gb_square(gb_sum_over(b, GB_ROWS)));
    static const char *const some[] = {"vargrad", "arms", "double_cv", "rodeo", "reinmax", "gumbel_rao"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_non_null(strstr(gb_error_text(t), some[i]));
    assert_null(strstr(gb_error_text(t), "bitflip"));
    assert_null(strstr(gb_error_text(t), "arsm"));
    assert_rejected(t, GB_EARGUMENT, "this one is not (these need no such sum: score, ");
}

/* A mistaken `combine` that uses a later draw, whose evaluations are summed already. */
static gb_node later_draw;

static gb_node combine_with_later(const gb_site *site, gb_node cost)
{
    (void)site;
    return gb_mul(cost, later_draw);
}

TEST(a_result_that_varies_over_evaluations_is_rejected)
{
    static const gb_estimator_type type = {.size = sizeof(gb_estimator_type),
                                           .name = "mistaken",
                                           .formula = "f",
                                           .draw = plain_draw,
                                           .combine = combine_with_later};
    gb_expect *e = gb_expect_new(t);
    const gb_node half = gb_num(t, 0.5);
    const gb_node z = gb_draw(e, "z", gb_normal(half, half), gb_estimator_of(&type, NULL));
    later_draw = gb_draw(e, "b", gb_bernoulli(half), gb_enumerated());
    assert_false(gb_node_ok(gb_expected(e, gb_add(z, later_draw))));
    assert_rejected(t, GB_EARGUMENT,
                    "expected: the result still has one value for each evaluation of draw b (enumerate)");
}

static gb_node flat_log_prob(const gb_dist *d, gb_node x)
{
    (void)x;
    return gb_neg(gb_log(d->param[0]));
}
static gb_node flat_sample(const gb_dist *d, const gb_source *from)
{
    return gb_mul(d->param[0], gb_uniform_noise(from->noise, from->shape, from->axes));
}
static const gb_dist_type moving = {.size = sizeof(gb_dist_type),
                                    .name = "moving",
                                    .formula = "-log width",
                                    .param = {GB_PARAMETER("width", GB_POSITIVE)},
                                    .support = GB_REAL,
                                    .moving_support = true,
                                    .log_prob = flat_log_prob,
                                    .rsample = flat_sample};
static const gb_dist_type unknown = {.size = sizeof(gb_dist_type),
                                     .name = "unknown",
                                     .formula = "-log width",
                                     .param = {GB_PARAMETER("width", GB_POSITIVE)},
                                     .support = GB_REAL,
                                     .log_prob = flat_log_prob,
                                     .sample = flat_sample};

TEST(what_does_not_fit_is_rejected_with_what_does)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node one = gb_num(t, 1);
    gb_draw(e, "a", gb_dist_of(&moving, &one), gb_score(.baseline = gb_no_baseline()));
    assert_rejected(
        t, GB_EARGUMENT,
        "draw a: score needs a support that does not depend on the parameters; moving has none. These fit: "
        "pathwise");
    gb_draw(e, "a", gb_dist_of(&unknown, &one), gb_pathwise());
    assert_rejected(t, GB_EARGUMENT,
                    "pathwise needs a reparameterised sampler; unknown has none. These fit: score");
    gb_draw(e, "a", gb_bernoulli(gb_num(t, 0.5)), gb_score(.baseline = gb_delta()));
    assert_rejected(
        t, GB_EARGUMENT,
        "draw a: score:baseline=delta needs a density over independent numbers; bernoulli has none. "
        "These fit: score with other options, ");
    gb_draw(e, "a", gb_normal(one, one), (gb_estimator){0});
    assert_rejected(t, GB_EARGUMENT, "draw a: no estimator was given");
    gb_draw(e, "a", (gb_dist){0}, gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "draw a: no distribution");
    gb_draw(e, "", gb_normal(one, one), gb_pathwise());
    assert_rejected(t, GB_ENAME, "a name is required");
    gb_expected(e, gb_ones(t, gb_shape(2)));
    assert_rejected(t, GB_ESHAPE, "the cost must be a scalar, and has shape (2)");
    gb_expected(e, gb_input_rows(t, "x", gb_shape()));
    assert_rejected(t, GB_ESHAPE, "sum over the rows first");
    gb_draw(e, "twice", gb_normal(one, one), gb_pathwise());
    gb_draw(e, "twice", gb_normal(one, one), gb_pathwise());
    assert_rejected(t, GB_ENAME, "twice");
    assert_null(gb_expect_new(NULL));
    assert_false(gb_node_ok(gb_draw(NULL, "b", gb_normal(one, one), gb_pathwise())));
    assert_false(gb_node_ok(gb_expected(NULL, one)));
    assert_fine(t);
}

TEST(the_lists_find_what_they_hold)
{
    size_t count;
    const gb_estimator_type *const *all = gb_estimators(&count);
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(gb_estimator_find(all[i]->name), all[i]);
        assert_true(all[i]->size == sizeof(gb_estimator_type) && all[i]->formula && all[i]->draw);
        assert_true(all[i]->combine || all[i]->expansion == GB_ONE_EVALUATION);
    }
    assert_null(gb_estimator_find("none such"));
    const gb_baseline_type *const *baselines = gb_baselines(&count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(gb_baseline_find(baselines[i]->name), baselines[i]);
    assert_null(gb_baseline_find("none such"));
}

/* Σ (x w − 1)² with w ~ N(m, s²): one w for all rows has a gradient in m of variance (2 Σ x²)² s², a w for
 * each row Σ (2 x²)² s², and both have the same mean. */
TEST(a_draw_for_each_row_has_the_same_mean_and_less_variance)
{
    enum { RUNS = 20000, ROWS = 3 };
    static const double x[ROWS] = {1, 2, 3}, m = 0.3, s = 0.5;
    const gb_estimator estimators[] = {gb_pathwise(), gb_score(.baseline = gb_leave_one_row_out()),
                                       gb_measure_valued()};
    double total = 0, squares = 0, each = 0;
    for (int i = 0; i < ROWS; i++) {
        total += 2 * x[i] * (x[i] * m - 1);
        squares += 2 * x[i] * x[i];
        each += pow(2 * x[i] * x[i], 2) * s * s;
    }
    for (size_t k = 0; k < 3; k++)
        for (int by_row = k == 1; by_row < 2; by_row++) {
            moments of_m = {.draw = malloc(RUNS * sizeof(double)), .count = RUNS};
            gb_tape *const tape = test_tape(.seed = 8);
            gb_expect *e = gb_expect_new(tape);
            const gb_node loc = gb_variable(tape, "m", gb_shape(), gb_fill(m)),
                          data = gb_input_rows(tape, "x", gb_shape());
            const gb_node w =
                gb_draw_over(e, "w", gb_normal(loc, gb_num(tape, s)), by_row ? GB_ROWS : 0, estimators[k]);
            const gb_node off = gb_shift(gb_mul(data, w), -1);
            const gb_node g = gb_grad(gb_expected(e, gb_sum_over(gb_square(off), GB_ROWS)), loc);
            gb_program *p = gb_compile(tape, gb_roots(g), gb_no_update);
            gb_feed(data, x, ROWS);
            for (int run = 0; run < RUNS; run++) {
                assert_int_equal(gb_run(p), GB_OK);
                of_m.draw[run] = gb_value(g);
            }
            moments_finish(&of_m);
            assert_true(fabs(of_m.mean - total) < z_bound(1e-9, 5) * of_m.mean_error);
            if (k == 0)
                assert_true(fabs(of_m.variance - (by_row ? each : squares * squares * s * s)) <
                            6 * of_m.variance_error);
            free(of_m.draw);
        }
}

/* The listed values of a choice are the same whatever its parameters are; their weights
 * are not, and through them the cost depends on earlier draws: d E[sigmoid(z)] / dm = E[p
 * (1 - p)] for z ~ N(m, 1), by quadrature. */
TEST(a_draw_is_reached_through_the_weights_of_a_later_sum)
{
    const gb_estimator estimators[] = {gb_quadrature(), gb_pathwise(),
                                       gb_score(.baseline = gb_leave_one_out()), gb_measure_valued()};
    double exact = 0;
    for (size_t i = 0; i < 4; i++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = 100000);
        gb_expect *e = gb_expect_new(tape);
        const gb_node m = gb_variable(tape, "m", gb_shape(), gb_fill(0.3));
        const gb_node z = gb_draw(e, "z", gb_normal(m, gb_num(tape, 1)), estimators[i]);
        const gb_node b = gb_draw(e, "b", gb_bernoulli(gb_sigmoid(z)), gb_enumerated());
        const gb_node g = gb_grad(gb_expected(e, b), m);
        assert_int_equal(gb_run(gb_compile(tape, gb_roots(g), gb_no_update)), GB_OK);
        exact = i == 0 ? gb_value(g) : exact;
        assert_true(exact > 0.2 &&
                    fabs(gb_value(g) - exact) < 6 * 1.0 / sqrt(100000)); /* spreads are below 1 */
    }
}

TEST(a_jump_in_the_parameters_of_a_later_draw_is_rejected)
{
    const gb_estimator later[] = {gb_score(), gb_enumerated(), gb_measure_valued(), gb_arm()};
    for (size_t i = 0; i < 4; i++) {
        gb_tape *const tape = test_tape();
        gb_expect *e = gb_expect_new(tape);
        const gb_node m = gb_variable(tape, "m", gb_shape(), gb_fill(0.3)), zero = gb_num(tape, 0);
        const gb_node z = gb_draw(e, "z", gb_normal(m, gb_num(tape, 1)), gb_pathwise());
        const gb_node p = gb_where(gb_greater(z, zero), gb_num(tape, 0.8), gb_num(tape, 0.2));
        assert_false(gb_node_ok(gb_expected(e, gb_draw(e, "b", gb_bernoulli(p), later[i]))));
        assert_rejected(tape, GB_EARGUMENT,
                        "pathwise of draw z needs a cost that is smooth in it, and greater jumps");
    }
}

TEST(a_support_that_moves_past_a_value_is_rejected)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node m = gb_variable(t, "m", gb_shape(), gb_fill(0.3)), one = gb_num(t, 1);
    const gb_node z = gb_draw(e, "z", gb_normal(m, one), gb_pathwise());
    const gb_node density = gb_exp(gb_log_prob(gb_uniform(gb_num(t, 0), gb_exp(z)), one));
    assert_false(gb_node_ok(gb_expected(e, density)));
    assert_rejected(
        t, GB_EARGUMENT,
        "pathwise of draw z needs a cost that is smooth in it, and the ends of a distribution's support "
        "depend on the draw");
    /* Where the value moves along, it stays inside. */
    const gb_node u = gb_draw(e, "u", gb_uniform(gb_num(t, 0), gb_exp(z)), gb_pathwise());
    assert_true(gb_node_ok(gb_expected(e, gb_draw_log_prob(e, u, one))));
}

/* Data outside of what an end may move past. A row says what the parameter w does. */
typedef struct moving_law {
    const char *name;
    gb_dist (*law)(gb_tape *t, gb_node w);
    bool moves;
} moving_law;

static gb_dist both_ends(gb_tape *t, gb_node w)
{
    (void)t;
    return gb_uniform(gb_neg(gb_exp(w)), gb_exp(w));
}

static gb_dist product_of_ends(gb_tape *t, gb_node w)
{
    return gb_independent(both_ends(t, gb_broadcast(w, gb_shape(2))), 1);
}

static gb_dist image_of_ends(gb_tape *t, gb_node w)
{
    return gb_transformed(both_ends(t, w), gb_exponential_transform(t));
}

static gb_dist shifted(gb_tape *t, gb_node w)
{
    return gb_transformed(gb_exponential(gb_num(t, 1)), gb_affine_transform(gb_shift(w, -5), gb_num(t, 1)));
}

static gb_dist shifted_image(gb_tape *t, gb_node w)
{
    const gb_dist normal = gb_normal(gb_num(t, 0), gb_num(t, 1));
    return gb_transformed(gb_transformed(normal, gb_exponential_transform(t)),
                          gb_affine_transform(gb_shift(w, -5), gb_num(t, 1)));
}

static gb_dist between_ends(gb_tape *t, gb_node w)
{
    return gb_transformed(gb_normal(gb_num(t, 0), gb_num(t, 1)),
                          gb_interval_transform(gb_num(t, -1), gb_shift(gb_exp(w), 3)));
}

static gb_dist constant_ends(gb_tape *t, gb_node w)
{
    return gb_truncated_normal(w, gb_num(t, 1), gb_num(t, -3), gb_num(t, 3));
}

static gb_dist constant_start(gb_tape *t, gb_node w)
{
    return gb_pareto(gb_num(t, 0.1), gb_exp(w));
}

static gb_dist scaled(gb_tape *t, gb_node w)
{
    return gb_transformed(gb_gamma(gb_num(t, 2), gb_num(t, 1)), gb_affine_transform(gb_num(t, 0), gb_exp(w)));
}

static gb_dist real_line(gb_tape *t, gb_node w)
{
    return gb_transformed(gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_affine_transform(w, gb_exp(w)));
}

static gb_dist floor_in_a_product(gb_tape *t, gb_node w)
{
    return gb_independent(gb_normal(gb_broadcast(gb_floor(w), gb_shape(2)), gb_num(t, 1)), 1);
}

static const moving_law moving_laws[] = {{"uniform", both_ends, true},
                                         {"product", product_of_ends, true},
                                         {"image", image_of_ends, true},
                                         {"shifted", shifted, true},
                                         {"shifted image", shifted_image, true},
                                         {"interval", between_ends, true},
                                         {"a jump in a product", floor_in_a_product, true},
                                         {"truncated normal", constant_ends, false},
                                         {"pareto", constant_start, false},
                                         {"scaled gamma", scaled, false},
                                         {"affine normal", real_line, false}};

/* The density jumps where an end passes a datum, and a gradient along w misses the jump. */
TEST_EACH(data_that_an_end_passes_are_rejected, moving_laws)
{
    const moving_law *const law = row;
    gb_expect *e = gb_expect_new(t);
    const gb_node m = gb_variable(t, "m", gb_shape(), gb_fill(0.3));
    const gb_node w = gb_draw(e, "w", gb_normal(m, gb_num(t, 1)), gb_pathwise());
    const gb_node data = gb_constant(t, gb_shape(2), GB_VALUES(0.9, 1.1));
    const gb_node cost = gb_expected(e, gb_sum(gb_log_prob(law->law(t, w), data)));
    if (law->moves)
        assert_rejected(t, GB_EARGUMENT, "pathwise of draw w needs a cost that is smooth in it");
    assert_true(gb_node_ok(cost) == !law->moves);
}

/* The score has a gradient only where the support stays. */
TEST_EACH(draws_of_a_support_that_moves_are_rejected_by_score, moving_laws)
{
    const moving_law *const law = row;
    if (law->law == constant_ends || law->law == constant_start || law->law == floor_in_a_product)
        return; /* their types are rejected, or accepted, whatever their ends */
    gb_expect *e = gb_expect_new(t);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(0.3));
    const gb_node z = gb_draw(e, "z", law->law(t, w), gb_score());
    if (law->moves)
        assert_rejected(t, GB_EARGUMENT, "score needs a support that does not depend on the parameters");
    assert_true(gb_node_ok(z) == !law->moves);
}

static gb_node floored(const gb_site *site, gb_node z, const void *user)
{
    (void)site, (void)user;
    return gb_scale(gb_floor(z), 0.3);
}

TEST(what_would_be_silently_biased_is_rejected, .samples = 2)
{
    const gb_node m = gb_variable(t, "m", gb_shape(), gb_fill(0.3)), one = gb_num(t, 1);
    gb_expect *e = gb_expect_new(t), *other = gb_expect_new(t);
    const gb_node x = gb_draw(e, "x", gb_normal(m, one), gb_score());
    assert_false(gb_node_ok(gb_draw_log_prob(e, x, gb_square(x))));
    assert_rejected(t, GB_EARGUMENT,
                    "draw x: the weight of its log q must be one real number that depends on no draw");
    assert_false(gb_node_ok(gb_draw_log_prob(e, x, gb_ones(t, gb_shape(2)))));
    assert_rejected(t, GB_EARGUMENT, "draw x: the weight of its log q must be one real number");
    const gb_node mean = gb_expected(e, x);
    assert_false(gb_node_ok(gb_expected(e, gb_mul(x, mean))));
    assert_rejected(t, GB_EARGUMENT, "expected: the cost contains an expectation over its own draws");
    const gb_node y = gb_draw(other, "y", gb_normal(m, one), gb_score());
    assert_true(
        gb_node_ok(gb_expected(other, gb_mul(y, mean)))); /* of other draws: a product of expectations */
    const gb_node b = gb_draw(other, "b", gb_bernoulli_logits(m), gb_relax(.surrogate = floored));
    assert_false(gb_node_ok(gb_expected(other, b)));
    assert_rejected(t, GB_EARGUMENT, "draw b: relax needs a surrogate that is smooth, and floor jumps");
    gb_draw(e, "c", gb_normal(m, one), gb_pathwise(.draws = (gb_draws)7));
    assert_rejected(t, GB_EARGUMENT, "draw c: pathwise: draws has no choice number 7");
    gb_draw(e, "d", gb_bernoulli_logits(m), gb_rebar(.temperature = -1));
    assert_rejected(t, GB_EARGUMENT, "draw d: rebar: temperature is -1, and must be from 0.001 to 1000");
    gb_expected(e, gb_draw(e, "f", gb_normal(m, one), gb_score(.baseline = gb_constant_baseline(NAN))));
    assert_rejected(t, GB_EARGUMENT, "draw f: score: baseline constant: value is");
}

/* Fitting a baseline changes no variable of the model. */
TEST(a_baseline_does_not_learn_the_models_variables)
{
    const gb_node m = gb_variable(t, "m", gb_shape(), gb_fill(0.3)),
                  a = gb_variable(t, "a", gb_shape(), gb_fill(0));
    gb_expect *e = gb_expect_new(t);
    const gb_node baseline = gb_add(gb_square(m), a);
    const gb_node x =
        gb_draw(e, "x", gb_normal(m, gb_num(t, 1)), gb_score(.baseline = gb_learned_baseline(baseline)));
    const gb_learned learned = lowered_in(gb_expected(e, gb_square(x)));
    assert_true(learned.count == 1 && gb_node_same(learned.variable[0], a));
}

TEST(sample_values_have_no_gradient)
{
    const trial c = square_under(gb_pathwise(), 3);
    const gb_node each = gb_sample_values(c.e, c.each), slope = gb_grad(gb_mean_over(each, GB_SAMPLES), c.mu);
    (void)t;
    gb_program *const p = gb_compile(c.t, gb_roots(each, slope), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_fine(c.t);
    assert_true(gb_value(slope) == 0);
}
