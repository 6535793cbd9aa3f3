/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One comparison at several values of a setting. */
#include "support/close.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/sweep.h"
#include "estimators/list.h"
#include "support/json.h"

static const double values[] = {-1, 0, 2};

static gb_sweep *sweep_of(gb_estimator second, FILE *raw)
{
    const gb_estimator both[] = {gb_pathwise(), second};
    return gb_compare_sweep("k", 3, values, .problem = gb_problem_find("gauss-square"), .estimators = 2,
                            .estimator = both, .draws = 200, .seed = 5, .raw = raw);
}

TEST(a_point_is_the_comparison_with_that_setting)
{
    gb_sweep *const s = sweep_of(gb_score(), NULL);
    assert_int_equal(s->status, GB_OK);
    assert_string_equal(s->setting, "k");
    assert_int_equal(s->points, 3);
    for (size_t i = 0; i < 3; i++) {
        const gb_estimator both[] = {gb_pathwise(), gb_score()};
        gb_comparison *const c =
            gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 2, .estimator = both,
                       .draws = 200, .seed = 5, .settings = 1,
                       .setting = &(gb_compare_setting){.name = "k", .value = values[i]});
        assert_true(s->value[i] == values[i]);
        for (size_t e = 0; e < 2; e++)
            for (size_t p = 0; p < c->parameters; p++)
                assert_true(s->point[i]->estimator[e].parameter[p].variance ==
                            c->estimator[e].parameter[p].variance);
        gb_comparison_free(c);
    }
    gb_sweep_free(s);
}

TEST(an_estimator_that_does_not_fit_is_left_out_at_all_points)
{
    gb_sweep *const s = sweep_of(gb_arm(), NULL);
    assert_int_equal(s->status, GB_EARGUMENT);
    assert_non_null(strstr(s->error, "arm"));
    assert_int_equal(s->points, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(s->point[i]->estimator[0].parameter);
        assert_null(s->point[i]->estimator[1].parameter);
    }
    gb_sweep_free(s);
}

/* An error that ends a comparison ends the sweep: an invalid scale. */
TEST(an_error_of_a_point_ends_the_sweep)
{
    const gb_estimator one[] = {gb_pathwise()};
    const double scales[] = {1, -1, 2};
    gb_sweep *const s = gb_compare_sweep("sigma", 3, scales, .problem = gb_problem_find("gauss-square"),
                                         .estimators = 1, .estimator = one, .draws = 100);
    assert_int_not_equal(s->status, GB_OK);
    assert_int_equal(s->points, 2);
    assert_int_equal(s->point[0]->status, GB_OK);
    assert_string_equal(s->error, s->point[1]->error);
    gb_sweep_free(s);
}

TEST(single_estimates_begin_with_the_value)
{
    char line[256];
    size_t lines = 0, swept[3] = {0};
    FILE *const raw = tmpfile();
    gb_sweep_free(sweep_of(gb_score(), raw));
    rewind(raw);
    assert_non_null(fgets(line, sizeof line, raw));
    assert_string_equal(line, "k,estimator,draw,parameter,value\n");
    for (; fgets(line, sizeof line, raw); lines++)
        for (size_t i = 0; i < 3; i++)
            swept[i] += strtod(line, NULL) == values[i];
    fclose(raw);
    assert_int_equal(lines, 3 * 2 * 2 * 200); /* points, estimators, parameters, draws */
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(swept[i], 2 * 2 * 200);
}

/* Takes note of the first call, and stops. */
static bool stop(void *context, double done)
{
    *(double *)context = done;
    return false;
}

TEST(progress_is_of_the_whole_sweep_and_may_stop_it)
{
    double done = -1;
    const gb_estimator one[] = {
        gb_score(.baseline = gb_moving_average())}; /* one run an estimate: it takes a while */
    gb_sweep *const s =
        gb_compare_sweep("k", 3, values, .problem = gb_problem_find("gauss-square"), .estimators = 1,
                         .estimator = one, .draws = 10000000, .progress = stop, .user = &done);
    assert_int_equal(s->status, GB_ESTOPPED);
    assert_int_equal(s->points, 1);
    assert_true(done > 0 && done < 1.0 / 3);
    gb_sweep_free(s);
}

/* ---- along a training ---- */

/* Of (x - k)² at N(mu, sigma), with d = mu - k = mu: by pathwise 4 sigma² and 4 d² + 8 sigma². */
TEST(a_path_has_the_variances_of_its_places)
{
    const gb_estimator both[] = {gb_pathwise(), gb_measure_valued()};
    gb_sweep *const s = gb_compare_path(.problem = gb_problem_find("gauss-square"), .estimators = 2,
                                        .estimator = both, .draws = 20000, .steps = 40, .seed = 5);
    assert_int_equal(s->status, GB_OK);
    assert_string_equal(s->setting, "step");
    assert_int_equal(s->points, 10);
    for (size_t i = 0; i < s->points; i++) {
        const gb_comparison *const c = s->point[i];
        const double d = c->at[0], sigma = c->at[1],
                     should[] = {4 * sigma * sigma, 4 * d * d + 8 * sigma * sigma};
        assert_int_equal(c->step, (int)(40 * i / 9));
        assert_true(s->value[i] == (double)c->step);
        for (size_t p = 0; p < 2; p++) {
            const gb_measured *const m = &c->estimator[0].parameter[p];
            assert_near(m->variance, should[p], 6 * m->variance_stderr);
            assert_near(m->exact, 2 * c->at[p], 1e-12);
            assert_true(fabs(m->z) < 6);
        }
    }
    assert_true(s->point[0]->at[0] == 1 && s->point[9]->at[0] < 0.5);
    gb_sweep_free(s);
}

/* Three steps have four places, and nine ten. */
TEST(a_short_path_repeats_no_place)
{
    const gb_estimator one = gb_pathwise();
    for (int64_t steps = 1; steps <= 9; steps += 2) {
        gb_sweep *const s = gb_compare_path(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                                            .estimator = &one, .draws = 100, .steps = steps);
        assert_int_equal(s->status, GB_OK);
        assert_int_equal(s->points, steps + 1);
        for (size_t i = 0; i < s->points; i++)
            assert_true(s->value[i] == (double)i);
        gb_sweep_free(s);
    }
}

/* Also beside one that does not fit. Every place has all draws. */
TEST(a_path_has_all_its_draws)
{
    static char text[1 << 16];
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    const gb_estimator three[] = {gb_pathwise(), gb_arm(), gb_score()};
    gb_sweep *const s =
        gb_compare_path(.problem = gb_problem_find("gauss-square"), .estimators = 3, .estimator = three,
                        .draws = 20, .steps = 18, .threads = 1, .raw = file);
    fclose(file);
    assert_int_equal(s->status, GB_EARGUMENT);
    assert_int_equal(s->points, 10);
    assert_null(s->point[9]->estimator[1].parameter);
    assert_ptr_equal(strstr(text, "step,estimator,draw,parameter,value\n0,pathwise,0,mu,"), text);
    assert_non_null(strstr(text, "\n18,score,19,mu,"));
    assert_true(isfinite(s->point[9]->estimator[2].total_variance));
    gb_sweep_free(s);
}

TEST(a_path_that_cannot_be_is_rejected)
{
    const gb_estimator unfit[] = {gb_arm(), gb_pathwise()};
    gb_sweep *s =
        gb_compare_path(.problem = gb_problem_find("gauss-square"), .estimators = 2, .estimator = unfit);
    assert_int_equal(s->status, GB_EARGUMENT);
    assert_non_null(strstr(s->error, "arm"));
    assert_int_equal(s->points, 0);
    gb_sweep_free(s);
    s = gb_compare_path(.problem = gb_problem_find("gauss-square"), .estimators = 1, .estimator = unfit + 1,
                        .at = GB_AT_FITTED);
    assert_int_equal(s->status, GB_EARGUMENT);
    assert_non_null(strstr(s->error, "places of its own"));
    gb_sweep_free(s);
    s = gb_compare_path_with(&(gb_compare_path_options){0});
    assert_int_equal(s->status, GB_EARGUMENT);
    gb_sweep_free(s);
}

typedef struct progress {
    double last;
    double stop;
} progress;

static bool follow(void *user, double done)
{
    progress *const p = user;
    assert_true(done >= p->last && done <= 1);
    p->last = done;
    return done < p->stop;
}

TEST(the_progress_of_a_path_rises_and_stops_it)
{
    progress p = {.stop = 0.1005};
    const gb_estimator one[] = {gb_score(.baseline = gb_moving_average())};
    gb_sweep *const s =
        gb_compare_path(.problem = gb_problem_find("gauss-square"), .estimators = 1, .estimator = one,
                        .draws = 10000000, .steps = 20, .progress = follow, .user = &p, .threads = 1);
    assert_int_equal(s->status, GB_ESTOPPED);
    gb_sweep_free(s);
}

TEST(tables_json_and_csv_hold_all_points)
{
    gb_sweep *const s = sweep_of(gb_score(), NULL);
    static char text[1 << 16];
    FILE *const file = tmpfile();
    assert_int_equal(gb_sweep_json(s, file), GB_OK);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_true(json_number(text, "sweep.values.2") == 2);
    assert_true(json_number(text, "comparisons.1.estimators.1.parameters.0.variance") ==
                s->point[1]->estimator[1].parameter[0].variance);
    rewind(file);
    assert_int_equal(gb_sweep_csv(s, file), GB_OK);
    const long bytes = ftell(file);
    rewind(file);
    size_t lines = 0;
    for (long i = 0; i < bytes; i++)
        lines += fgetc(file) == '\n';
    assert_int_equal(lines, 1 + 3 * 2 * 2);
    assert_int_equal(gb_sweep_print(s, file), GB_OK);
    fclose(file);
    gb_sweep_free(s);
}

TEST(misuse_is_rejected_in_words)
{
    const gb_estimator one[] = {gb_pathwise()};
    const gb_compare_setting k = {.name = "k", .value = 1};
    const gb_compare_options good = {.size = sizeof good,
                                     .problem = gb_problem_find("gauss-square"),
                                     .estimators = 1,
                                     .estimator = one,
                                     .draws = 10};
    gb_compare_options twice = good, nowhere = good;
    twice.settings = nowhere.settings = 1;
    twice.setting = &k;
    const struct {
        const char *setting;
        size_t points;
        const double *values;
        const gb_compare_options *options;
        const char *words;
    } cases[] = {
        {NULL, 3, values, &good, "a setting and values"},
        {"k", 0, values, &good, "a setting and values"},
        {"k", 3, NULL, &good, "a setting and values"},
        {"k", 3, values, &twice, "both set and swept"},
        {"k", 3, values, &nowhere, "no list of them"},
        {"k", 3, values, NULL, "problem"},
        {"kk", 3, values, &good, "kk"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gb_sweep *const s =
            gb_compare_sweep_with(cases[i].setting, cases[i].points, cases[i].values, cases[i].options);
        assert_int_equal(s->status, GB_EARGUMENT);
        if (!strstr(s->error, cases[i].words))
            fail_msg("case %zu says: %s", i, s->error);
        assert_int_equal(gb_sweep_print(s, NULL), GB_EARGUMENT);
        gb_sweep_free(s);
    }
    assert_int_equal(gb_sweep_json(NULL, stderr), GB_EARGUMENT);
    assert_int_equal(gb_comparison_csv(NULL, stderr), GB_EARGUMENT);
    gb_sweep_free(NULL);
}
