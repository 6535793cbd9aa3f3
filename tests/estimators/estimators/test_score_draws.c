/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The score function by antithetic pairs and Sobol points: its formula draw by draw, its exact means and
 * variances, and which baselines it rejects. */
#include "support/close.h"

#include "compare/compare.h"
#include "estimators/outcomes.h"
#include "ops/control.h"

enum { MOST_SAMPLES = 6 };
static const double P[BITS] = {0.3, 0.6, 0.8};

static gb_estimator by_pairs(gb_baseline baseline)
{
    return gb_score(.baseline = baseline, .draws = GB_ANTITHETIC);
}

/* ---- formulas ---- */

/* The mean over all samples but k and its twin; a last sample without a twin is left out alone. */
static double mean_of_other_pairs(const double *f, int samples, int k)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < samples; i++)
        if (i / 2 != k / 2) {
            sum += f[i];
            count++;
        }
    return sum / count;
}

typedef double baseline_function(const double *f, int samples, int k);

static double nothing(const double *f, int samples, int k)
{
    (void)f, (void)samples, (void)k;
    return 0;
}

static double mean_of_others(const double *f, int samples, int k)
{
    double sum = 0;
    for (int i = 0; i < samples; i++)
        sum += i == k ? 0 : f[i];
    return sum / (samples - 1);
}

static double score_at(const double *b, int samples, int bits, int bit, const double *p,
                       baseline_function *baseline)
{
    double f[MOST_SAMPLES], sum = 0;
    for (int k = 0; k < samples; k++)
        f[k] = cost_of_bits(b + k * bits, bits);
    for (int k = 0; k < samples; k++)
        sum += (f[k] - baseline(f, samples, k)) * (b[k * bits + bit] - p[bit]);
    return sum / samples;
}

TEST(it_leaves_the_pair_out_draw_by_draw)
{
    for (int samples = 3; samples <= MOST_SAMPLES; samples++) {
        const size_t values = (size_t)samples * BITS;
        const bits_trial c = bits_by(by_pairs(gb_leave_one_out()), BITS, values, samples, P);
        for (int run = 0; run < 100; run++) {
            double b[MOST_SAMPLES * BITS], g[BITS];
            run_bits(&c, b, g);
            for (int i = 0; i < BITS; i++)
                assert_true(near(g[i], score_at(b, samples, BITS, i, P, mean_of_other_pairs)));
        }
    }
}

/* ---- all outcomes ---- */

/* Of a bit in two samples that are made of u and 1 − u. */
static double chance_of_pair(int a, int b, double p)
{
    return a != b ? fmin(p, 1 - p) : a ? fmax(0, 2 * p - 1) : fmax(0, 1 - 2 * p);
}

static double chance_of_pairs(const double *b, const double *p, int bits, int samples)
{
    double chance = 1;
    for (int k = 0; k < samples; k += 2)
        for (int i = 0; i < bits; i++)
            chance *= chance_of_pair(b[k * bits + i] == 1, b[(k + 1) * bits + i] == 1, p[i]);
    return chance;
}

static double chance_of_one_pair(const double *b, const double *p, int bits)
{
    return chance_of_pairs(b, p, bits, 2);
}

static double chance_of_two_pairs(const double *b, const double *p, int bits)
{
    return chance_of_pairs(b, p, bits, 4);
}

/* Exact mean and variance of score_at. */
static void exact_moments(int samples, int bits, int bit, const double *p, baseline_function *baseline,
                          double *mean, double *variance)
{
    double second = 0;
    *mean = 0;
    for (int code = 0; code < 1 << samples * bits; code++) {
        double b[MOST_BITS];
        for (int i = 0; i < samples * bits; i++)
            b[i] = code >> i & 1;
        const double chance = chance_of_pairs(b, p, bits, samples),
                     g = score_at(b, samples, bits, bit, p, baseline);
        *mean += chance * g;
        second += chance * g * g;
    }
    *variance = second - *mean * *mean;
}

TEST(the_sum_over_all_outcomes_is_exact)
{
    const struct {
        int bits, samples;
        gb_baseline baseline;
        chance_function *chance;
        baseline_function *formula;
    } cases[] = {{3, 2, gb_no_baseline(), chance_of_one_pair, nothing},
                 {2, 4, gb_leave_one_out(), chance_of_two_pairs, mean_of_other_pairs}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int bits = cases[k].bits, samples = cases[k].samples;
        const bits_trial c = bits_by(by_pairs(cases[k].baseline), bits, (size_t)(bits * samples), samples, P);
        bits_moments *const m = over_outcomes(&c, P, cases[k].chance);
        assert_unbiased(m, bits, P);
        for (int i = 0; i < bits; i++) {
            double mean, variance;
            exact_moments(samples, bits, i, P, cases[k].formula, &mean, &variance);
            assert_near(m->mean[i], mean, 1e-12);
            assert_near(m->variance[i], variance, 1e-11);
        }
        free(m);
    }
}

/* What is avoided: with its twin in the mean, the gradient is another one. */
TEST(a_mean_with_the_twin_in_it_would_be_biased)
{
    double gradient[BITS], value, mean, variance;
    exact_bits(2, P, gradient, &value);
    exact_moments(4, 2, 0, P, mean_of_others, &mean, &variance);
    assert_true(fabs(mean - gradient[0]) > 0.05 * fabs(gradient[0]));
    exact_moments(4, 2, 0, P, mean_of_other_pairs, &mean, &variance);
    assert_near(mean, gradient[0], 1e-12);
}

/* ---- normals ---- */

/* Of (x − k)², d = μ − k: the even part of the cost cancels in μ, and the odd part in σ. */
TEST(a_pair_of_normals_has_its_closed_form)
{
    const double mu = 1, sigma = 1, k = -2, d = mu - k, s = sigma * sigma;
    gb_expect *const e = gb_expect_new(t);
    const gb_node m = gb_variable(t, "mu", gb_shape(), gb_fill(mu)),
                  r = gb_variable(t, "sigma", gb_shape(), gb_fill(sigma));
    const gb_node z = gb_draw(e, "z", gb_normal(m, r), by_pairs(gb_no_baseline()));
    const gb_node loss = gb_expected(e, gb_square(gb_shift(z, -k))), of_mu = gb_grad(loss, m),
                  of_sigma = gb_grad(loss, r);
    gb_program *const program = gb_compile(t, gb_roots(z, of_mu, of_sigma), gb_no_update);
    gb_program_set_samples(program, 2);
    assert_fine(t);
    for (int run = 0; run < 50; run++) {
        double x[2];
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(z, x, 2);
        const double e2 = (x[0] - mu) * (x[0] - mu) / s;
        assert_near(x[0] + x[1], 2 * mu, 1e-12);
        assert_near(gb_value(of_mu), 2 * d * e2, 1e-11 * (1 + e2));
        assert_near(gb_value(of_sigma), (e2 - 1) * (d * d + s * e2) / sigma, 1e-11 * (1 + e2 * e2));
    }
}

TEST(the_measured_variance_is_the_closed_form)
{
    const gb_estimator by = by_pairs(gb_no_baseline());
    const gb_compare_setting k = {"k", -2};
    const double d = 3; /* mu − k, where mu and sigma are 1 */
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1, .estimator = &by,
                   .settings = 1, .setting = &k, .draws = 100000, .samples = 2, .seed = 3, .threads = 1);
    assert_non_null(c);
    const double exact[] = {8 * d * d, 2 * d * d * d * d + 20 * d * d + 74};
    for (int i = 0; i < 2; i++) {
        const gb_measured *const m = &c->estimator[0].parameter[i];
        assert_near(m->variance, exact[i], 6 * m->variance_stderr);
        assert_true(m->variance_stderr < 0.03 * m->variance);
    }
    gb_comparison_free(c);
}

/* ---- baselines ---- */

static gb_node other_samples(const gb_site *site, const void *options, gb_node cost)
{
    (void)site, (void)options;
    return gb_leave_one_out_mean(cost, GB_SAMPLES);
}

static const gb_baseline_type own_type = {.size = sizeof(gb_baseline_type),
                                          .name = "of_others",
                                          .formula = "the mean over all other samples",
                                          .value = other_samples};

static gb_node expectation_by(gb_tape *tape, gb_estimator by)
{
    gb_expect *const e = gb_expect_new(tape);
    const gb_node mu = gb_variable(tape, "mu", gb_shape(), gb_fill(0.3));
    return gb_expected(e, gb_sin(gb_draw(e, "z", gb_normal(mu, gb_num(tape, 1)), by)));
}

TEST(baselines_of_dependent_samples_are_rejected)
{
    const struct {
        gb_draws draws;
        gb_baseline baseline;
        const char *words;
    } cases[] = {{GB_SOBOL, gb_leave_one_out(), "the baseline leave_one_out is made of other samples"},
                 {GB_SOBOL, gb_baseline_of(&own_type, NULL), "the baseline of_others is made of other"},
                 {GB_ANTITHETIC, gb_baseline_of(&own_type, NULL), "the baseline of_others is made of other"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gb_tape *const tape = test_tape(.samples = 4);
        expectation_by(tape, gb_score(.baseline = cases[i].baseline, .draws = cases[i].draws));
        assert_rejected(tape, GB_EARGUMENT, cases[i].words);
    }
}

TEST(other_baselines_fit_dependent_samples)
{
    const gb_baseline fitting[] = {gb_no_baseline(), gb_constant_baseline(1), gb_moving_average(),
                                   gb_fitted(), gb_delta()};
    for (size_t i = 0; i < 2 * sizeof fitting / sizeof *fitting; i++) {
        gb_tape *const tape = test_tape(.samples = 4);
        const gb_node loss = expectation_by(
            tape, gb_score(.baseline = fitting[i / 2], .draws = i % 2 ? GB_SOBOL : GB_ANTITHETIC));
        gb_program *const program =
            gb_compile(tape, gb_roots(gb_grad(loss, gb_variable_named(tape, "mu"))), gb_no_update);
        assert_fine(tape);
        assert_int_equal(gb_run(program), GB_OK);
    }
}

TEST(independent_draws_may_have_any_baseline, .samples = 4)
{
    expectation_by(t, gb_score(.baseline = gb_baseline_of(&own_type, NULL)));
    assert_fine(t);
}

TEST(a_single_pair_has_no_others, .samples = 2)
{
    const gb_node loss = expectation_by(t, by_pairs(gb_leave_one_out()));
    gb_program *const program =
        gb_compile(t, gb_roots(gb_grad(loss, gb_variable_named(t, "mu"))), gb_no_update);
    assert_int_equal(gb_run(program), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "leave_one_out: a single antithetic pair has no others");
    gb_program_set_samples(program, 3);
    assert_int_equal(gb_run(program), GB_OK);
}

/* ---- what else is rejected ---- */

TEST(it_needs_a_quantile_function)
{
    gb_expect *const e = gb_expect_new(t);
    gb_draw(e, "x", gb_one_hot_categorical(gb_constant(t, gb_shape(2), GB_VALUES(0.4, 0.6))),
            gb_score(.draws = GB_SOBOL));
    assert_rejected(t, GB_EARGUMENT, "draw x: score:draws=sobol needs a quantile function in closed form");
}

TEST(its_cost_must_not_mix_samples, .samples = 4)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(), gb_fill(0.3));
    const gb_node z = gb_draw(e, "z", gb_normal(mu, gb_num(t, 1)), gb_score(.draws = GB_SOBOL));
    assert_false(gb_expect_samples_independent(e));
    gb_expected(e, gb_square(gb_mean_over(z, GB_SAMPLES)));
    assert_rejected(t, GB_EARGUMENT, "depends on other samples");
}

TEST(its_text_is_read_and_written)
{
    char text[80], error[200];
    gb_estimator by;
    assert_true(gb_estimator_parse("score:draws=antithetic:baseline=loo", &by, error, sizeof error));
    gb_estimator_text(by, text, sizeof text);
    assert_string_equal(text, "score:baseline=leave_one_out:draws=antithetic");
}
