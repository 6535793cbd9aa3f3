/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons: the numbers are those of closed forms, and the same for any number of threads. */
#include <sys/resource.h>

#include "support/close.h"

#include "compare/compare.h"
#include "compare/moments.h"
#include "distributions/list.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

enum { TEXT = 1 << 15 };

static gb_comparison *compare(const char *problem, gb_estimator estimator, int64_t samples, size_t settings,
                              const gb_compare_setting *setting)
{
    gb_comparison *const c = gb_compare(.problem = gb_problem_find(problem), .estimators = 1,
                                        .estimator = &estimator, .draws = 100000, .samples = samples,
                                        .settings = settings, .setting = setting, .seed = 11, .threads = 1);
    if (c->status != GB_OK)
        fail_msg("%s: %s", problem, c->error);
    return c;
}

/* ---- moments ---- */

TEST(moments_of_batches_are_those_of_the_whole)
{
    enum { COUNT = 1000 };
    double x[COUNT], sum = 0, power[5] = {0};
    gb_moments m = {0};
    for (int i = 0; i < COUNT; i++)
        sum += x[i] = 1e6 + sin(i * i) + 0.2 * (i % 7);
    for (int i = 0; i < COUNT; i++)
        for (int k = 2; k <= 4; k++)
            power[k] += pow(x[i] - sum / COUNT, k);
    const int batch[] = {1, 0, 199, 300, 500};
    const double *at = x;
    for (size_t i = 0; i < sizeof batch / sizeof *batch; at += batch[i++])
        gb_moments_add(&m, (size_t)batch[i], at, 1);
    assert_true(fabs(m.mean - sum / COUNT) < 1e-9);
    assert_true(fabs(m.second - power[2]) < 1e-7 * power[2]);
    assert_true(fabs(m.third - power[3]) < 1e-6 * power[4]);
    assert_true(fabs(m.fourth - power[4]) < 1e-6 * power[4]);
    assert_true(fabs(gb_moments_variance(&m) - power[2] / (COUNT - 1)) < 1e-7);
    assert_true(fabs(gb_moments_kurtosis(&m) - COUNT * power[4] / (power[2] * power[2])) < 1e-6);
}

/* Of a normal the variance of a variance is 2 s⁴ / (n − 1). */
TEST(a_variance_knows_its_standard_error)
{
    gb_comparison *const c = compare("gauss-square", gb_pathwise(), 1, 0, NULL);
    const gb_measured *const mu = &c->estimator[0].parameter[0];
    assert_true(fabs(mu->variance_stderr - mu->variance * sqrt(2.0 / 1e5)) < 0.03 * mu->variance_stderr);
    assert_true(fabs(mu->kurtosis - 3) < 0.1);
    assert_true(fabs(mu->stderr_ - sqrt(mu->variance / 1e5)) < 1e-12);
    assert_true(fabs(mu->snr - fabs(mu->mean) / sqrt(mu->variance)) < 1e-12);
    gb_comparison_free(c);
}

/* ---- closed forms ---- */

static void check_variance(const gb_comparison *c, size_t parameter, double should)
{
    const gb_measured *const m = &c->estimator[0].parameter[parameter];
    if (fabs(m->variance - should) > 6 * m->variance_stderr + 1e-12)
        fail_msg("%s, %s, %s: the variance is %.8g ± %.2g and should be %.8g", c->problem->name,
                 c->estimator[0].name, c->parameter[parameter], m->variance, m->variance_stderr, should);
    if (!(fabs(m->z) < 6.11))
        fail_msg("%s, %s, %s: z = %g", c->problem->name, c->estimator[0].name, c->parameter[parameter], m->z);
}

static void check_square(gb_estimator estimator, double d, double s, double of_mu, double of_sigma)
{
    gb_comparison *const c = compare("gauss-square", estimator, 1, 3,
                                     (gb_compare_setting[]){{"mu", 1}, {"sigma", s}, {"k", 1 - d}});
    check_variance(c, 0, of_mu);
    check_variance(c, 1, of_sigma);
    gb_comparison_free(c);
}

TEST(variances_of_the_square_cost_are_their_closed_forms)
{
    const double at[][2] = {{1, 1}, {-0.5, 1}, {2, 0.7}, {0, 1.5}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const double d = at[i][0], s = at[i][1], d2 = d * d, s2 = s * s;
        check_square(gb_pathwise(), d, s, 4 * s2, 4 * d2 + 8 * s2);
        check_square(gb_score(), d, s, d2 * d2 / s2 + 14 * d2 + 15 * s2,
                     2 * d2 * d2 / s2 + 60 * d2 + 74 * s2);
    }
    for (double d = 0; d < 3; d++)
        check_square(gb_measure_valued(), d, 1, (16 / acos(-1) - 4) * d * d, 4 + 4 * d * d);
}

TEST(the_variance_of_the_cosine_is_its_closed_form)
{
    for (double k = 0.5; k < 2.6; k += 0.5) {
        gb_comparison *const c = compare("gauss-cos", gb_pathwise(), 1, 1, (gb_compare_setting[]){{"k", k}});
        check_variance(c, 0,
                       k * k * (0.5 - 0.5 * cos(2 * k) * exp(-2 * k * k) - pow(sin(k), 2) * exp(-k * k)));
        gb_comparison_free(c);
    }
}

static void check_toy(gb_estimator estimator, int64_t samples, double should)
{
    gb_comparison *const c = compare("bernoulli-toy", estimator, samples, 0, NULL);
    check_variance(c, 0, should);
    gb_comparison_free(c);
}

TEST(variances_of_the_toy_are_their_closed_forms)
{
    check_toy(gb_score(), 1, 0.01593906);
    check_toy(gb_score(.baseline = gb_leave_one_out()), 2, 6.25e-4);
    check_toy(gb_arm(), 1, 2.0833333e-4);
    check_toy(gb_disarm(), 1, 0);
    check_toy(gb_enumerated(), 1, 0);
}

TEST(variance_falls_as_one_over_the_samples)
{
    for (int64_t samples = 1; samples <= 8; samples *= 2) {
        gb_comparison *const c = compare("gauss-square", gb_pathwise(), samples, 0, NULL);
        check_variance(c, 0, 4.0 / (double)samples);
        check_variance(c, 1, 12.0 / (double)samples);
        assert_true(c->estimator[0].evaluations == (double)samples);
        gb_comparison_free(c);
    }
}

/* ---- the totals ---- */

TEST(totals_and_ratios_are_those_of_the_parts)
{
    const gb_estimator all[] = {gb_score(), gb_pathwise(), gb_score(), gb_measure_valued()};
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 4,
                                        .estimator = all, .draws = 30000, .seed = 2, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    for (size_t i = 0; i < 4; i++) {
        const gb_compared *const e = &c->estimator[i];
        assert_close(e->total_variance, e->parameter[0].variance + e->parameter[1].variance, 4);
        assert_close(e->variance_times_cost, e->total_variance * e->evaluations, 4);
        assert_close(e->ratio, e->variance_times_cost / c->estimator[0].variance_times_cost, 4);
        assert_true(e->ratio_low <= e->ratio && e->ratio <= e->ratio_high);
    }
    assert_true(c->estimator[3].evaluations == 5);
    /* Σ of 2 variances of squares: pathwise's closed form is 4 + 12, the score's 30 + 136. */
    assert_true(c->estimator[1].ratio_low < 16.0 / 166 && 16.0 / 166 < c->estimator[1].ratio_high);
    /* The noise is common: the same estimator twice gives the same numbers. */
    assert_true(c->estimator[0].parameter[0].mean == c->estimator[2].parameter[0].mean);
    assert_true(c->estimator[0].parameter[1].variance == c->estimator[2].parameter[1].variance);
    gb_comparison_free(c);
}

TEST(at_equal_cost_dearer_estimators_get_fewer_samples)
{
    const gb_estimator all[] = {gb_score(), gb_measure_valued(), gb_score(.baseline = gb_leave_one_out())};
    gb_comparison *c =
        gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 3, .estimator = all,
                   .draws = 1000, .samples = 10, .equal_cost = true, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    assert_int_equal(c->estimator[0].samples, 10);
    assert_int_equal(c->estimator[1].samples, 2);
    assert_int_equal(c->estimator[2].samples, 10);
    gb_comparison_free(c);
    c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 3, .estimator = all,
                   .draws = 1000, .equal_cost = true, .threads = 1);
    assert_int_equal(c->estimator[0].samples, 5);
    assert_int_equal(c->estimator[1].samples, 1);
    assert_int_equal(c->samples, 2); /* leave_one_out needs them */
    gb_comparison_free(c);
}

/* A sum over all values is the same for all samples, and evaluated once. */
TEST(samples_that_are_all_the_same_cost_nothing)
{
    const gb_estimator all[] = {gb_score(), gb_enumerated()};
    for (int equal = 0; equal <= 1; equal++) {
        gb_comparison *const c =
            gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 2, .estimator = all,
                       .draws = 100, .samples = 100, .equal_cost = equal, .threads = 1);
        assert_int_equal(c->status, GB_OK);
        assert_true(c->estimator[0].evaluations == 100 && c->estimator[0].samples == 100);
        assert_true(c->estimator[1].evaluations == 8 && c->estimator[1].samples == 100);
        gb_comparison_free(c);
    }
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 2,
                                        .estimator = all, .draws = 100, .equal_cost = true, .threads = 1);
    assert_true(c->estimator[0].evaluations == 8 && c->estimator[1].evaluations == 8);
    gb_comparison_free(c);
}

/* ---- the same again ---- */

static void same_numbers(const gb_comparison *a, const gb_comparison *b)
{
    for (size_t i = 0; i < a->estimators; i++)
        assert_memory_equal(a->estimator[i].parameter, b->estimator[i].parameter,
                            a->parameters * sizeof(gb_measured));
}

static gb_comparison *by_threads(int threads, uint64_t seed, gb_real real)
{
    static const double X[] = {0.5, -1, 1.5, 0.3, -0.7, 0.8, -1.2, -0.4}, Y[] = {1, 1, 0, 0};
    static const gb_problem_data data = {.rows = 4, .columns = 2, .x = X, .y = Y};
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("logistic"), .estimators = 2,
                   .estimator = (gb_estimator[]){gb_pathwise(), gb_score(.baseline = gb_leave_one_out())},
                   .draws = 3000, .samples = 20, .seed = seed, .threads = threads, .real = real,
                   .data = &data);
    assert_int_equal(c->status, GB_OK);
    return c;
}

TEST(a_seed_repeats_the_table_with_any_number_of_threads)
{
    for (gb_real real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_comparison *const two = by_threads(2, 1, real), *const eight = by_threads(8, 1, real);
        gb_comparison *const other = by_threads(2, 2, real);
        same_numbers(two, eight);
        assert_true(two->estimator[0].parameter[0].mean != other->estimator[0].parameter[0].mean);
        gb_comparison_free(two);
        gb_comparison_free(eight);
        gb_comparison_free(other);
    }
}

/* However fast this machine is at the moment. */
TEST(what_learns_repeats_its_numbers)
{
    gb_comparison *c[4];
    for (int i = 0; i < 4; i++)
        c[i] = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                          .estimator = (gb_estimator[]){gb_score(.baseline = gb_moving_average())},
                          .draws = 20000, .seed = 5, .threads = 1);
    for (int i = 1; i < 4; i++)
        same_numbers(c[0], c[i]);
    for (int i = 0; i < 4; i++)
        gb_comparison_free(c[i]);
}

TEST(an_estimator_that_learns_is_measured_too)
{
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = 2,
                                        .estimator = (gb_estimator[]){gb_rebar(), gb_rebar(.learn = true)},
                                        .draws = 20000, .seed = 5, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_true(fabs(c->estimator[i].parameter[0].z) < 6.11);
        assert_true(c->estimator[i].evaluations == 3);
    }
    assert_true(c->estimator[1].total_variance < c->estimator[0].total_variance);
    gb_comparison_free(c);
}

/* RELAX by itself had 0.73 of the score's variance after 1000 runs, and 0.664 after a million. */
TEST(what_is_learned_settles_before_it_is_measured)
{
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("bernoulli-3"), .settings = 1,
                                        .setting = (gb_compare_setting[]){{"eta", 100}}, .estimators = 2,
                                        .estimator = (gb_estimator[]){gb_score(), gb_relax()}, .draws = 40000,
                                        .seed = 5, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    const double ratio = c->estimator[1].total_variance / c->estimator[0].total_variance;
    if (!(ratio > 0.63 && ratio < 0.69))
        fail_msg("%g", ratio);
    for (size_t i = 0; i < 3; i++)
        assert_false(c->estimator[0].parameter[i].moving || c->estimator[1].parameter[i].moving);
    gb_comparison_free(c);
}

/* The least variances that RELAX's surrogate and REBAR's multiplier allow, by least squares over 300,000
 * draws: 8.40 and 29.3. Steps along slopes stall where large ones are rare; RELAX had 10.6, without a mark.
 * */
TEST(what_is_linear_goes_to_its_optimum)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-3"), .settings = 2,
                   .setting = (gb_compare_setting[]){{"p1", 0.02}, {"p3", 0.9}}, .estimators = 2,
                   .estimator = (gb_estimator[]){gb_relax(), gb_rebar(.learn = true)}, .draws = 100000,
                   .seed = 3, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    const double best[] = {8.40, 29.3};
    for (size_t i = 0; i < 2; i++) {
        const gb_compared *const e = &c->estimator[i];
        if (!(fabs(e->total_variance - best[i]) < 0.03 * best[i] + 4 * e->total_variance_stderr))
            fail_msg("%s: %g ± %g, not %g", e->name, e->total_variance, e->total_variance_stderr, best[i]);
        assert_false(e->parameter[0].moving);
    }
    gb_comparison_free(c);
}

/* An objective that its variable does not move. */
static gb_node dead_value(const gb_site *site, const void *options, gb_node cost)
{
    (void)options, (void)cost;
    const gb_node level = gb_site_variable(site, "dead", gb_shape(), 0);
    gb_site_lowers(site, gb_square(gb_scale(level, 0)), 1, &level);
    return level;
}

/* Reaches the mean cost, 0.25, after 25,000 runs. */
static gb_node slow_value(const gb_site *site, const void *options, gb_node cost)
{
    (void)options, (void)cost;
    const gb_node level = gb_site_variable(site, "slow", gb_shape(), 0);
    gb_site_assigns(site, level, gb_shift(level, 1e-5));
    return level;
}

static bool prints_mark(const gb_comparison *c)
{
    char text[4096] = "";
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_int_equal(gb_comparison_print(c, file), GB_OK);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return strstr(text, "~ ") && strstr(text, "~ still learning when it was measured, or");
}

TEST(what_still_learns_is_marked)
{
    static const gb_baseline_type slow = {
        .size = sizeof slow, .name = "slow", .formula = "a line", .value = slow_value};
    static const gb_baseline_type dead = {
        .size = sizeof dead, .name = "dead", .formula = "0", .value = dead_value};
    const gb_baseline baselines[] = {gb_baseline_of(&slow, NULL), gb_baseline_of(&dead, NULL),
                                     gb_moving_average()};
    for (int i = 0; i < 3; i++) {
        gb_comparison *const c = gb_compare(.problem = gb_problem_find("bernoulli-toy"), .settings = 1,
                                            .setting = (gb_compare_setting[]){{"t", 0.5}}, .estimators = 1,
                                            .estimator = (gb_estimator[]){gb_score(.baseline = baselines[i])},
                                            .seed = 5, .threads = 1);
        assert_int_equal(c->status, GB_OK);
        assert_int_equal(c->estimator[0].parameter[0].moving, i < 2);
        assert_int_equal(prints_mark(c), i < 2);
        gb_comparison_free(c);
    }
}

/* The gradient in theta had 7.92, 13.3 and 43 where each evaluation had draws of its own downstream. */
TEST(noise_that_probes_share_lowers_the_variance)
{
    const gb_estimator by[] = {gb_measure_valued(), gb_arm(), gb_rebar()};
    const double most[] = {2.8, 5.8, 8.2};
    for (size_t i = 0; i < 3; i++) {
        gb_comparison *const c = compare("two-sites", by[i], 1, 0, NULL);
        const gb_measured *const theta = &c->estimator[0].parameter[0];
        if (!(theta->variance < most[i] && fabs(theta->z) < 5))
            fail_msg("%s: %g, z %g", by[i].type->name, theta->variance, theta->z);
        gb_comparison_free(c);
    }
}

/* ---- places ---- */

TEST(after_a_fit_estimates_are_made_where_it_ends)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = 2,
                   .estimator = (gb_estimator[]){gb_disarm(), gb_score()}, .draws = 20000, .at = GB_AT_FITTED,
                   .steps = 200, .seed = 5, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    const gb_measured *const m = c->estimator[0].parameter, *const score = c->estimator[1].parameter;
    assert_true(m->exact < 0.02 && m->exact > 0); /* phi went down from 0, where it is 0.025 */
    assert_true(fabs(m->z) < 1 && fabs(score->z) < 6.11);
    assert_int_equal(c->step, 200);
    assert_true(c->at[0] < 0);
    gb_comparison_free(c);
}

/* The square has no minimum inside: sigma goes to 0, and steps over that are taken back. */
TEST(a_training_that_leaves_the_parameters_range_stays_inside)
{
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                                        .estimator = (gb_estimator[]){gb_pathwise()}, .draws = 1000,
                                        .at = GB_AT_FITTED, .seed = 5, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    assert_true(c->estimator[0].parameter[1].exact < 0.5);
    gb_comparison_free(c);
}

/* ---- what is rare ---- */

TEST(what_no_draw_has_shown_is_not_known)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = 3,
                   .estimator = (gb_estimator[]){gb_disarm(), gb_score(), gb_enumerated()}, .draws = 10000,
                   .settings = 1, .setting = (gb_compare_setting[]){{"phi", -20}}, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    const gb_measured *const disarm = c->estimator[0].parameter, *const all = c->estimator[2].parameter;
    assert_true(disarm->variance == 0 && disarm->unseen && isnan(disarm->z));
    assert_true(!all->unseen && fabs(all->z) < 6);
    gb_comparison_free(c);
}

/* Where the exact gradient is near the smallest rounding error, all estimates are equal as well. */
TEST(equal_estimates_are_not_called_biased)
{
    static const struct {
        double phi;
        gb_real real;
    } cases[] = {{30, GB_DOUBLE}, {-30, GB_DOUBLE}, {-12, GB_FLOAT}};
    const gb_estimator all[] = {gb_disarm(), gb_score(), gb_arm()};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gb_comparison *const c =
            gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = 3, .estimator = all,
                       .draws = 10000, .real = cases[i].real, .settings = 1,
                       .setting = (gb_compare_setting[]){{"phi", cases[i].phi}}, .threads = 1);
        assert_int_equal(c->status, GB_OK);
        for (size_t k = 0; k < 3; k++) {
            const gb_measured *const m = c->estimator[k].parameter;
            if (m->unseen ? !isnan(m->z) : fabs(m->z) > 5)
                fail_msg("phi %g, %s: z %g, unseen %d", cases[i].phi, c->estimator[k].name, m->z, m->unseen);
        }
        gb_comparison_free(c);
    }
}

/* Events of probability 0.0005 and less: where few are seen, the standard error is too small by far. */
TEST(a_few_rare_events_are_not_called_a_bias)
{
    size_t unseen = 0;
    for (uint64_t seed = 40; seed < 60; seed++) {
        gb_comparison *const c =
            gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 1,
                       .estimator = (gb_estimator[]){gb_vargrad()}, .draws = 10000, .samples = 2,
                       .settings = 1, .setting = (gb_compare_setting[]){{"p1", 0.0005}}, .seed = seed,
                       .threads = 1);
        assert_int_equal(c->status, GB_OK);
        for (size_t k = 0; k < c->parameters; k++) {
            const gb_measured *const m = &c->estimator[0].parameter[k];
            unseen += m->unseen;
            if (m->unseen ? !isnan(m->z) || !isnan(m->variance_stderr) : fabs(m->z) > 5)
                fail_msg("seed %llu, parameter %zu: z %g, unseen %d", (unsigned long long)seed, k, m->z,
                         m->unseen);
        }
        gb_comparison_free(c);
    }
    assert_true(unseen > 0);
}

/* An event that no draw has, or hardly any, while others make a gradient of their own: that of b1 at p1 =
 * 1e-5, or of one choice among four. The estimators are unbiased: none may be called biased. */
TEST(a_rare_outcome_among_others_is_not_called_a_bias)
{
    static const struct {
        const char *problem;
        size_t settings;
        gb_compare_setting setting[2];
        const char *estimator[5];
    } cases[] = {
        {"bernoulli-3", 1, {{"p1", 1e-5}}, {"score", "bitflip", "relax", "double_cv", "rodeo"}},
        {"bernoulli-3", 1, {{"p3", 1 - 1e-6}}, {"score", "bitflip", "relax", "double_cv", "rodeo"}},
        {"choices",
         2,
         {{"categories", 4}, {"spread", 10}},
         {"score", "double_cv", "disarm_sb", "disarm_tree", "unordered_set"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gb_estimator all[5];
        size_t unseen = 0;
        for (size_t k = 0; k < 5; k++)
            assert_true(gb_estimator_parse(cases[i].estimator[k], &all[k], NULL, 0));
        gb_comparison *const c = gb_compare(.problem = gb_problem_find(cases[i].problem), .estimators = 5,
                                            .estimator = all, .samples = 2, .settings = cases[i].settings,
                                            .setting = cases[i].setting, .threads = 1);
        assert_int_equal(c->status, GB_OK);
        for (size_t k = 0; k < 5; k++)
            for (size_t j = 0; j < c->parameters; j++) {
                const gb_measured *const m = &c->estimator[k].parameter[j];
                unseen += m->unseen && m->variance > 0;
                if (m->unseen ? !isnan(m->z) : fabs(m->z) > 5)
                    fail_msg("%s, %s of %s: z %g", cases[i].problem, c->estimator[k].name, c->parameter[j],
                             m->z);
            }
        assert_true(unseen > 0);
        gb_comparison_free(c);
    }
}

static gb_node draw_without_a_gradient(gb_site *site)
{
    return gb_stop(gb_sample(site->q, site->noise, site->axes));
}

static const gb_estimator_type zero_type = {
    .size = sizeof(gb_estimator_type), .name = "zero", .formula = "0", .draw = draw_without_a_gradient};

/* Whether "zero" is called biased beside that estimator in the parameter number 0. */
static bool is_zero_biased(const char *problem, size_t settings, gb_compare_setting setting,
                           gb_estimator beside)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find(problem), .estimators = 2,
                   .estimator = (gb_estimator[]){gb_estimator_of(&zero_type, NULL), beside},
                   .settings = settings, .setting = &setting, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    const gb_measured m = c->estimator[0].parameter[0];
    assert_true(m.variance == 0 && m.mean == 0 && m.exact != 0);
    assert_true(m.unseen ? isnan(m.z) && isnan(c->estimator[0].total_variance_stderr)
                         : fabs(m.z) > 1e6 && c->estimator[0].total_variance_stderr == 0);
    gb_comparison_free(c);
    return !m.unseen;
}

/* Gradients that are all 0 are wrong where another estimator shows the gradient, and no outcome was rare.
 * Flips show also outcomes that no draw has. */
TEST(equal_estimates_are_biased_where_another_estimator_shows_it)
{
    const gb_compare_setting rare = {"p1", 1e-5};
    assert_true(is_zero_biased("bernoulli-3", 0, rare, gb_score()));
    assert_true(is_zero_biased("categorical", 0, rare, gb_score()));
    assert_true(is_zero_biased("gauss-square", 0, rare, gb_pathwise()));
    assert_false(is_zero_biased("bernoulli-3", 0, rare, gb_enumerated()));
    assert_false(is_zero_biased("bernoulli-3", 1, rare, gb_bitflip()));
    assert_false(is_zero_biased("bernoulli-3", 1, rare, gb_score()));
    assert_false(
        is_zero_biased("poisson-square", 1, (gb_compare_setting){"rate", 1e-6}, gb_measure_valued()));
}

/* ---- what goes wrong ---- */

static gb_node exploding(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(0));
    const gb_node x = gb_trial_draw(trial, "x", gb_normal(mu, gb_num(trial->tape, 1)));
    return gb_exp(gb_scale(gb_square(x), 60));
}

TEST(what_is_not_finite_is_reported_with_what_there_is)
{
    static const gb_problem problem = {
        .size = sizeof(gb_problem), .name = "exploding", .formula = "E exp(60 x^2)", .cost = exploding};
    gb_comparison *const c =
        gb_compare(.problem = &problem, .estimators = 1, .estimator = (gb_estimator[]){gb_pathwise()},
                   .draws = 100000, .seed = 5, .threads = 1);
    assert_int_equal(c->status, GB_ENONFINITE);
    assert_non_null(strstr(c->error, "pathwise"));
    assert_non_null(c->estimator[0].parameter);
    gb_comparison_free(c);
}

static gb_node logarithm(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(1));
    return gb_log(gb_trial_draw(trial, "x", gb_normal(mu, gb_num(trial->tape, 1))));
}

/* log x has the slope 1 / x where x < 0, too. */
TEST(a_cost_that_is_no_number_has_no_gradient)
{
    static const gb_problem problem = {
        .size = sizeof(gb_problem), .name = "logarithm", .formula = "E log x", .cost = logarithm};
    gb_comparison *const c =
        gb_compare(.problem = &problem, .estimators = 1, .estimator = (gb_estimator[]){gb_pathwise()},
                   .draws = 1000, .threads = 1);
    assert_int_equal(c->status, GB_ENONFINITE);
    assert_non_null(strstr(c->error, "the cost of logarithm is no number at some of its draws"));
    assert_false(gb_comparison_has_results(c));
    gb_comparison_free(c);
}

TEST(one_that_does_not_fit_leaves_the_others)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("poisson-square"), .estimators = 2,
                   .estimator = (gb_estimator[]){gb_pathwise(), gb_score()}, .draws = 1000, .threads = 1);
    assert_int_equal(c->status, GB_EARGUMENT);
    assert_non_null(strstr(c->error, "reparameterised"));
    assert_null(c->estimator[0].parameter);
    assert_true(gb_comparison_has_results(c));
    assert_true(fabs(c->estimator[1].parameter[0].z) < 6.11);
    gb_comparison_free(c);
}

/* A leave-one-out mean needs another sample, and one of antithetic draws another pair. */
TEST(there_are_as_many_samples_as_one_needs)
{
    const gb_estimator by[] = {gb_score(), gb_score(.baseline = gb_leave_one_out()),
                               gb_score(.baseline = gb_leave_one_out(), .draws = GB_ANTITHETIC)};
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 3,
                                        .estimator = by, .draws = 100, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(c->estimator[i].least, i + 1);
        assert_int_equal(c->estimator[i].samples, 3);
    }
    gb_comparison_free(c);
}

TEST(one_that_needs_more_samples_leaves_the_others)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 2,
                   .estimator = (gb_estimator[]){gb_score(.baseline = gb_leave_one_out()), gb_score()},
                   .names = (const char *const[]){"loo", "score"}, .draws = 1000, .samples = 1, .threads = 1);
    assert_int_equal(c->status, GB_EARGUMENT);
    assert_string_equal(c->error, "loo: an estimate needs 2 samples or more, not 1");
    assert_null(c->estimator[0].parameter);
    assert_int_equal(c->estimator[0].least, 2);
    assert_true(fabs(c->estimator[1].parameter[0].z) < 6.11);
    gb_comparison_free(c);
}

static void rejected(gb_compare_options options, const char *words)
{
    options.size = sizeof options;
    options.size = sizeof options;
    gb_comparison *const c = gb_compare_with(&options);
    assert_int_equal(c->status, GB_EARGUMENT);
    assert_false(gb_comparison_has_results(c));
    if (!strstr(c->error, words))
        fail_msg("the error is \"%s\", without \"%s\"", c->error, words);
    gb_comparison_free(c);
}

TEST(options_without_a_size_are_said_to_have_none)
{
    const gb_compare_options without = {.problem = gb_problem_find("gauss-square")};
    gb_comparison *const c = gb_compare_with(&without);
    assert_int_equal(c->status, GB_EARGUMENT);
    assert_non_null(strstr(c->error, "the options struct has no size"));
    gb_comparison_free(c);
}

TEST(wrong_options_are_rejected)
{
    const gb_problem *const p = gb_problem_find("gauss-square");
    const gb_estimator one = gb_pathwise(), none = {0};
    rejected((gb_compare_options){.estimators = 1, .estimator = &one}, "a problem");
    rejected((gb_compare_options){.problem = p}, "an estimator");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &none}, "number 1");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .draws = -1},
             ".draws is -1; it must be from 1 to 10000000000, or 0 for the default");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .samples = INT64_MAX},
             ".samples is 9223372036854775807");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .steps = -3},
             ".steps is -3");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .batch = INT64_MAX},
             ".batch is");
    rejected((gb_compare_options){.problem = p,
                                  .estimators = 1,
                                  .estimator = &one,
                                  .settings = 1,
                                  .setting = (gb_compare_setting[]){{"tau", 1}}},
             "no setting tau");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .settings = 1},
             "no list");
    rejected((gb_compare_options){.problem = p,
                                  .estimators = 1,
                                  .estimator = &one,
                                  .settings = 1,
                                  .setting = (gb_compare_setting[]){{NULL, 1}}},
             "no setting (NULL)");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .threads = -1},
             "threads");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .at = (gb_compare_at)3},
             ".at is 3");
    rejected((gb_compare_options){.problem = p, .estimators = 1, .estimator = &one, .real = (gb_real)7},
             ".real is 7");
    rejected((gb_compare_options){.problem = gb_problem_find("logistic"), .estimators = 1, .estimator = &one},
             "data");
    gb_comparison_free(NULL);
    assert_false(gb_comparison_has_results(NULL));
}

typedef struct listener {
    int calls, last; /* so far; where it stops, 0: nowhere */
    double part;
} listener;

static bool listen(void *context, double part)
{
    listener *const l = context;
    assert_true(part >= l->part && part <= 1);
    l->part = part;
    return ++l->calls != l->last;
}

static gb_comparison *heard(listener *l, const char *problem, gb_estimator estimator, int64_t draws,
                            int64_t samples, gb_compare_at at)
{
    return gb_compare(.problem = gb_problem_find(problem), .estimators = 2,
                      .estimator = (gb_estimator[]){estimator, gb_straight_through()}, .draws = draws,
                      .samples = samples, .threads = 1, .at = at, .steps = 100000000, .progress = listen,
                      .user = l);
}

TEST(each_estimator_that_does_not_fit_says_why)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 4,
                   .estimator = (gb_estimator[]){gb_arm(), gb_pathwise(), gb_enumerated(),
                                                 gb_score(.baseline = gb_leave_one_out())},
                   .draws = 20, .samples = 1, .threads = 1);
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    assert_int_equal(gb_comparison_print(c, file), GB_OK);
    fclose(file);
    assert_non_null(strstr(c->error, c->estimator[0].why));
    assert_string_equal(c->estimator[1].why, "");
    for (size_t i = 0; i < 4; i++) {
        assert_true(i == 1 || *c->estimator[i].why);
        assert_non_null(strstr(text, c->estimator[i].why));
    }
    assert_non_null(strstr(text, "score: an estimate needs 2 samples or more, not 1\n"));
    free(text);
    gb_comparison_free(c);
}

static double megabytes_at_most_so_far(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* One gradient needs 2 MB. A thousand side by side would need gigabytes, and be no faster. */
TEST(gradients_of_bounds_with_many_draws_are_not_made_all_at_once)
{
    const double before = megabytes_at_most_so_far();
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-evidence"), .estimators = 2,
                                        .estimator = (gb_estimator[]){gb_pathwise(), gb_dreg()},
                                        .bound = gb_iwae(.draws = 20000), .draws = 32, .threads = 1);
    assert_int_equal(c->status, GB_OK);
    gb_comparison_free(c);
    assert_true(megabytes_at_most_so_far() - before < 100);
}

/* In estimates, while something learns or trains, and with few but long runs; also where one was rejected. */
TEST(progress_can_stop_it)
{
    const int64_t many = INT64_C(10000000000);
    const struct {
        const char *problem;
        gb_estimator estimator;
        int64_t draws, samples;
        gb_compare_at at;
    } work[] = {{"gauss-square", gb_score(), many, 1, GB_AT_GIVEN},
                {"gauss-square", gb_score(.baseline = gb_moving_average()), many, 1, GB_AT_GIVEN},
                {"bernoulli-3", gb_rebar(.learn = true), 1000, 20000, GB_AT_GIVEN},
                {"gauss-square", gb_score(), 100, 1000000, GB_AT_GIVEN},
                {"gauss-square", gb_score(), 100, 1, GB_AT_FITTED}};
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        listener l = {.last = 2};
        gb_comparison *const c =
            heard(&l, work[i].problem, work[i].estimator, work[i].draws, work[i].samples, work[i].at);
        assert_int_equal(c->status, GB_ESTOPPED);
        assert_non_null(strstr(c->error, "stopped"));
        assert_int_equal(l.calls, 2);
        if (i == 0) /* what learns may be stopped before it is measured */
            assert_true(isfinite(c->estimator[0].total_variance));
        gb_comparison_free(c);
    }
}
