/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many independent estimates in one run, from a program of the caller's own:
 * what plans may say, and what is rejected. */
#include "support/close.h"

#include <string.h>

#include "compare/moments.h"
#include "compare/replicates.h"
#include "estimators/list.h"

/* E (x - k)^2 for x ~ N(mu, sigma), whose mean, gradient and variances are known. */
static gb_replicate_plan plan(void)
{
    gb_replicate_plan p = {.problem = gb_problem_find("gauss-square"), .estimator = gb_pathwise(), .seed = 3};
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && p.problem->settings[i].name; i++)
        p.setting[i] = p.problem->settings[i].value;
    return p;
}

TEST(what_a_plan_leaves_open_is_one)
{
    gb_replicates r;
    gb_replicate_plan p = plan();
    p.value = true;
    assert_true(gb_replicates_begin(&r, &p) && gb_replicates_run(&r, NULL));
    assert_int_equal(r.plan.at_a_time, 1);
    assert_int_equal(r.plan.runs, 1);
    assert_int_equal(r.plan.samples, 1);
    char name[16];
    gb_replicates_name(&r, r.elements - 1, sizeof name, name);
    assert_string_equal(name, "value");
    gb_replicates_name(&r, r.elements, sizeof name, name);
    assert_string_equal(name, "");
    assert_true(*gb_replicates_element(&r, 0, NULL) != *gb_replicates_element(&r, 1, NULL));
    assert_null(gb_replicates_element(&r, 99, NULL));
    gb_replicates_end(&r);
}

TEST(exact_values_do_not_depend_on_runs_or_a_rate)
{
    double first[3], exact[3], at[2] = {1.5, 0.5};
    gb_replicate_plan p = plan();
    p.value = true;
    assert_true(gb_replicates_exact(&p, at, 3, first));
    for (int64_t runs = 2; runs < 4; runs++) {
        p.runs = runs;
        p.rate = 0.1;
        assert_true(gb_replicates_exact(&p, at, 3, exact));
        assert_memory_equal(exact, first, sizeof exact);
    }
}

TEST(estimates_have_the_exact_mean)
{
    gb_replicates r;
    gb_replicate_plan p = plan();
    double parameters[2], exact[2];
    p.at_a_time = 2000;
    p.runs = 10;
    assert_true(gb_replicates_begin(&r, &p) && gb_replicates_runs(&r, 0, 10, NULL));
    assert_true(gb_replicates_get(&r, parameters) && gb_replicates_exact(&p, parameters, 2, exact));
    for (size_t i = 0; i < 2; i++) {
        size_t stride;
        gb_moments m = {0};
        const double *const x = gb_replicates_element(&r, i, &stride);
        gb_moments_add(&m, 20000, x, stride);
        const double z = (m.mean - exact[i]) / sqrt(gb_moments_variance(&m) / m.count);
        assert_true(fabs(z) < 5.1); /* once in three million */
    }
    gb_replicates_end(&r);
}

TEST(places_beyond_the_plan_are_rejected)
{
    static const int64_t cases[][2] = {{2, 2}, {-1, 1}, {0, -1}, {1000000, 1}, {0, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gb_replicates r;
        gb_replicate_plan p = plan();
        p.runs = 3;
        assert_true(gb_replicates_begin(&r, &p));
        assert_false(gb_replicates_runs(&r, cases[i][0], cases[i][1], NULL));
        assert_int_equal(gb_replicates_status(&r), GB_EARGUMENT);
        assert_non_null(strstr(gb_error_text(r.trial.tape), "3 places"));
        gb_replicates_end(&r);
        assert_false(gb_replicates_run(&r, NULL));
    }
}

TEST(plans_that_make_no_sense_are_rejected_in_words)
{
    const struct {
        int64_t samples, at_a_time, runs;
        double rate;
        const char *words;
    } cases[] = {
        {-1, 1, 1, 0, "-1 samples"},
        {1, -5, 1, 0, "-5 replicates"},
        {1, 1, (int64_t)1 << 61, 0, "each is from 1"},
        {1, 1, 1, -1, "the rate is -1"},
        {1, 1, 1, (double)NAN, "the rate is"},
        {1, 10, 1, 0.1, "one replicate at a time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gb_replicates r;
        gb_replicate_plan p = plan();
        p.samples = cases[i].samples;
        p.at_a_time = cases[i].at_a_time;
        p.runs = cases[i].runs;
        p.rate = cases[i].rate;
        assert_false(gb_replicates_begin(&r, &p));
        assert_int_equal(gb_replicates_status(&r), GB_EARGUMENT);
        if (!strstr(gb_error_text(r.trial.tape), cases[i].words))
            fail_msg("case %zu says: %s", i, gb_error_text(r.trial.tape));
        gb_replicates_end(&r);
    }
}

TEST(steps_are_restarted_where_there_are_some)
{
    gb_replicates r;
    gb_replicate_plan p = plan();
    assert_true(gb_replicates_begin(&r, &p));
    assert_int_equal(gb_replicates_restart(&r, 0.1), GB_EARGUMENT);
    gb_replicates_end(&r);
    p.rate = 0.1;
    assert_true(gb_replicates_begin(&r, &p));
    assert_int_equal(gb_replicates_restart(&r, 0.05), GB_OK);
    assert_int_equal(gb_replicates_restart(&r, (double)NAN), GB_EARGUMENT);
    gb_replicates_end(&r);
}

TEST(null_is_no_crash)
{
    gb_replicates r;
    double x = 0;
    const gb_replicate_plan p = plan();
    assert_false(gb_replicates_begin(NULL, &p));
    assert_false(gb_replicates_begin(&r, NULL));
    assert_non_null(strstr(gb_error_text(r.trial.tape), "a plan needs a problem"));
    assert_null(gb_replicates_element(&r, 0, NULL));
    assert_false(gb_replicates_run(&r, NULL));
    gb_replicates_end(&r);
    gb_replicates_end(NULL);
    assert_false(gb_replicates_run(NULL, NULL));
    assert_int_equal(gb_replicates_status(NULL), GB_EARGUMENT);
    assert_false(gb_replicates_learn_from(&r, NULL));
    assert_false(gb_replicates_exact(NULL, &x, 1, &x));
    assert_false(gb_replicates_exact(&p, &x, 1, NULL));
    gb_moments_add(NULL, 1, &x, 1);
    assert_true(isnan(gb_moments_variance(NULL)));
    assert_true(isnan(gb_moments_variance_error(NULL)));
}
