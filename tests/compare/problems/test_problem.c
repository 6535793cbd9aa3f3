/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in problems: found, complete, and their closed forms are
 * those of other ways to the same number. */
#include "support/close.h"

#include "compare/compare.h"
#include "compare/replicates.h"
#include "core/gradient.h"
#include "estimators/list.h"

/* Two columns, five rows. */
static const double X[] = {0.5, -1, 1.5, 0.3, -0.7, 0.8, -1.2, -0.4, 0.1, 1.1}, Y[] = {1, 1, 0, 0, 1};
static const gb_problem_data DATA = {.rows = 5, .columns = 2, .x = X, .y = Y};

static gb_trial trial_of(const gb_problem *problem, gb_estimator estimator)
{
    gb_trial trial = {.tape = test_tape(.seed = 3), .estimator = estimator, .data = &DATA};
    trial.expect = gb_expect_new(trial.tape);
    gb_problem_defaults(problem, trial.setting);
    return trial;
}

TEST(each_problem_is_found_and_complete)
{
    size_t count;
    const gb_problem *const *const all = gb_problems(&count);
    assert_true(count >= 12);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(gb_problem_find(all[i]->name), all[i]);
        assert_true(all[i]->size == sizeof(gb_problem) && all[i]->cost && *all[i]->formula);
        for (size_t j = 0; j < GB_PROBLEM_SETTINGS && all[i]->settings[j].name; j++) {
            const gb_setting *const s = &all[i]->settings[j];
            assert_true(s->value >= s->low && s->value <= s->high && *s->words);
        }
    }
    assert_null(gb_problem_find("gauss"));
    assert_null(gb_problem_find(NULL));
}

/* The score function fits them all, but for the one whose draws move with the weights. */
TEST(each_problem_is_recorded_with_a_finite_cost_and_gradients)
{
    size_t count;
    const gb_problem *const *const all = gb_problems(&count);
    for (size_t i = 0; i < count; i++) {
        const bool moves = strcmp(all[i]->name, "dropout-weights") == 0;
        gb_trial trial = trial_of(all[i], moves ? gb_dropout_draws() : gb_score());
        const gb_node loss = gb_expected(trial.expect, gb_trial_record(&trial, all[i], false));
        assert_fine(trial.tape);
        assert_true(isfinite(gb_value(loss)));
        assert_true(trial.parameters > 0 && trial.sites > 0 && trial.fitting == trial.sites);
        for (size_t j = 0; j < trial.parameters; j++) {
            double g[8];
            const gb_node gradient = gb_grad(loss, trial.parameter[j].variable);
            assert_int_equal(gb_read(gradient, g, gb_value_count(gradient)), GB_OK);
            assert_true(isfinite(g[0]) && *trial.parameter[j].name);
        }
    }
}

/* Where an estimator is exact, too. */
TEST(closed_forms_are_what_the_exact_estimator_gives)
{
    size_t count, compared = 0;
    const gb_problem *const *const all = gb_problems(&count);
    for (size_t i = 0; i < count; i++) {
        if (!all[i]->expected || !all[i]->exact || !gb_estimator_find(all[i]->exact))
            continue;
        gb_problem open = *all[i];
        gb_replicate_plan plan = {
            .problem = all[i], .samples = 1, .at_a_time = 1, .value = true, .threads = 1};
        gb_replicates r;
        double start[16], closed[16], other[16];
        open.expected = NULL;
        gb_problem_defaults(all[i], plan.setting);
        assert_true(gb_replicates_begin(&r, &plan));
        assert_true(gb_replicates_get(&r, start));
        assert_true(gb_replicates_exact(&plan, start, r.elements, closed));
        plan.problem = &open;
        assert_true(gb_replicates_exact(&plan, start, r.elements, other));
        for (size_t j = 0; j < r.elements; j++)
            assert_true(fabs(closed[j] - other[j]) <= (strcmp(open.exact, "enumerate") == 0 ? 1e-12 : 1e-6));
        gb_replicates_end(&r);
        compared++;
    }
    assert_true(compared >= 4);
}

/* One weight without a bias: the trapezoidal rule over it. */
static double evidence_bound(double mu, double rho)
{
    double sum = 0;
    const double step = 0.01;
    for (double e = -9; e <= 9; e += step) {
        const double w = mu + exp(rho) * e;
        double cost = 0.5 * (exp(2 * rho) + mu * mu - 1) - rho;
        for (size_t n = 0; n < 5; n++)
            cost += log1p(exp(-(2 * Y[n] - 1) * X[2 * n] * w));
        sum += step * exp(-e * e / 2) / sqrt(2 * acos(-1)) * cost;
    }
    return sum;
}

TEST(logistic_is_the_negative_evidence_lower_bound)
{
    double x[5];
    for (size_t n = 0; n < 5; n++)
        x[n] = X[2 * n];
    const gb_problem_data one = {.rows = 5, .columns = 1, .x = x, .y = Y};
    const double h = 1e-4;
    const double of_mu = (evidence_bound(h, 0) - evidence_bound(-h, 0)) / (2 * h);
    const double of_rho = (evidence_bound(0, h) - evidence_bound(0, -h)) / (2 * h);
    for (int analytic = 0; analytic < 2; analytic++) {
        gb_comparison *const c =
            gb_compare(.problem = gb_problem_find("logistic"), .estimators = 2,
                       .estimator = (gb_estimator[]){gb_pathwise(), gb_score()}, .draws = 20000, .seed = 4,
                       .threads = 1, .settings = 2,
                       .setting = (gb_compare_setting[]){{"analytic", analytic}, {"bias", 0}}, .data = &one);
        assert_int_equal(c->status, GB_OK);
        assert_int_equal(c->parameters, 2);
        assert_string_equal(c->parameter[0], "mu[0]");
        assert_string_equal(c->parameter[1], "rho[0]");
        for (size_t i = 0; i < 2; i++) {
            const gb_measured *const m = c->estimator[i].parameter;
            assert_true(fabs(m[0].mean - of_mu) < 6.5 * m[0].stderr_);
            assert_true(fabs(m[1].mean - of_rho) < 6.5 * m[1].stderr_);
            assert_true(isnan(m[0].exact) && isnan(m[0].z));
        }
        gb_comparison_free(c);
    }
}

TEST(a_bias_is_one_weight_more)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("logistic"), .estimators = 1,
                   .estimator = (gb_estimator[]){gb_pathwise()}, .draws = 10, .threads = 1, .data = &DATA);
    assert_int_equal(c->status, GB_OK);
    assert_int_equal(c->parameters, 6);
    assert_string_equal(c->parameter[2], "mu[2]");
    gb_comparison_free(c);
}

TEST(settings_are_rejected_outside_their_range)
{
    double setting[GB_PROBLEM_SETTINGS];
    const gb_problem *const p = gb_problem_find("gauss-square");
    gb_problem_defaults(p, setting);
    assert_true(gb_problem_set(p, setting, "sigma", 2) && setting[1] == 2);
    assert_false(gb_problem_set(p, setting, "sigma", -1));
    assert_false(gb_problem_set(p, setting, "sigma", NAN));
    assert_false(gb_problem_set(p, setting, "tau", 1));
    assert_false(gb_problem_set(p, setting, NULL, 1));
    assert_true(setting[1] == 2);
}

TEST(choices_are_counted_by_whole_numbers)
{
    const gb_problem *const p = gb_problem_find("choices");
    gb_trial trial = trial_of(p, gb_arsm());
    assert_true(gb_problem_set(p, trial.setting, "categories", 2.5));
    assert_false(gb_node_ok(gb_trial_record(&trial, p, false)));
    assert_rejected(trial.tape, GB_EARGUMENT, "categories (2.5) and choices (1) must be whole numbers");
}

TEST(an_estimator_that_fits_no_site_is_rejected_and_one_that_fits_one_is_tried)
{
    const gb_problem *p = gb_problem_find("poisson-square");
    gb_trial trial = trial_of(p, gb_pathwise());
    assert_false(gb_node_ok(gb_trial_record(&trial, p, false)));
    assert_rejected(trial.tape, GB_EARGUMENT, "pathwise needs a reparameterised sampler; poisson has none");
    p = gb_problem_find("two-sites");
    trial = trial_of(p, gb_arm());
    assert_true(gb_node_ok(gb_trial_record(&trial, p, false)));
    assert_int_equal(trial.sites, 2);
    assert_int_equal(trial.fitting, 1);
}

TEST(a_problem_that_needs_data_says_so)
{
    const gb_problem *const p = gb_problem_find("logistic");
    gb_trial trial = trial_of(p, gb_pathwise());
    trial.data = NULL;
    gb_trial_record(&trial, p, false);
    assert_rejected(trial.tape, GB_EARGUMENT, "needs data");
    const double numbers[6] = {0};
    const gb_problem_data no_x = {.rows = 3, .columns = 2, .y = numbers},
                          no_y = {.rows = 3, .columns = 2, .x = numbers};
    trial.data = &no_x;
    gb_trial_record(&trial, p, false);
    assert_rejected(trial.tape, GB_EARGUMENT, "the data have 3 rows and 2 columns, but x is NULL");
    trial.data = &no_y;
    gb_trial_record(&trial, p, false);
    assert_rejected(trial.tape, GB_EARGUMENT, "the data have 3 rows and 2 columns, but y is NULL");
}
