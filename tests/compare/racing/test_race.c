/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each estimator trains by itself: values are those of closed forms, trainings those of gb_fit. */
#include <stdio.h>

#include "support/close.h"

#include "compare/race.h"
#include "compare/sweep.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/files.h"
#include "support/json.h"

static gb_tape_options one_thread(void)
{
    return (gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1};
}

/* ---- problems ---- */

/* (x - k)² at N(mu, sigma) has the mean mu² + sigma²; a path with the same noise says where it is. */
TEST(the_value_of_a_problem_is_exact)
{
    enum { POINTS = 10, STEPS = 45 };
    const uint64_t seed = 5, of_training = seed ^ UINT64_C(0x9e3779b97f4a7c15);
    const gb_estimator one[] = {gb_pathwise()};
    gb_sweep *const s =
        gb_compare_path(.problem = gb_problem_find("gauss-square"), .estimators = 1, .estimator = one,
                        .draws = 2, .steps = STEPS, .seed = seed, .threads = 1);
    gb_racing *const r =
        gb_race(.problem = gb_problem_find("gauss-square"), .estimators = GB_ESTIMATORS(gb_pathwise()),
                .steps = STEPS, .points = POINTS, .seeds = 1, .seed = of_training, .threads = 1);
    assert_int_equal(s->status, GB_OK);
    assert_int_equal(r->status, GB_OK);
    assert_true(r->is_exact && !r->rises && r->points == POINTS);
    for (size_t p = 0; p < POINTS; p++) {
        const double *const at = s->point[p]->at;
        assert_int_equal(r->step[p], s->point[p]->step);
        assert_close(r->estimator[0].value[p], at[0] * at[0] + at[1] * at[1], 100);
        assert_true(r->estimator[0].point[p].value.value == r->estimator[0].value[p]);
        assert_true(isnan(r->estimator[0].point[p].value.error)); /* of one training */
    }
    gb_sweep_free(s);
    gb_racing_free(r);
}

TEST(the_better_estimator_is_ahead)
{
    gb_racing *const r =
        gb_race(.problem = gb_problem_find("bernoulli-3"), .steps = 60, .points = 4, .seeds = 8, .threads = 1,
                .estimators = GB_ESTIMATORS(gb_score(), gb_disarm(), gb_relax()));
    assert_int_equal(r->status, GB_OK);
    const gb_race_point *const score = r->estimator[0].point, *const disarm = r->estimator[1].point;
    assert_near(score[0].value.value, 0.8625, 1e-12);
    assert_true(disarm[3].value.high < score[3].value.low);
    for (size_t i = 0; i < 3; i++) {
        const gb_raced *const one = &r->estimator[i];
        double mean = 0, before = 0;
        for (size_t s = 0; s < 8; s++) {
            mean += one->value[s * r->points + 2] / 8;
            assert_true(one->seconds[s * r->points + 3] >= one->seconds[s * r->points + 2]);
        }
        assert_close(one->point[2].value.value, mean, 100);
        for (size_t p = 0; p < r->points; p++) {
            assert_true(one->point[p].seconds.value >= before);
            before = one->point[p].seconds.value;
        }
    }
    gb_racing_free(r);
}

/* Where the mean is not known, by draws; of log weights more is better. */
TEST(bounds_rise_in_a_race)
{
    gb_racing *const r =
        gb_race(.problem = gb_problem_find("gauss-evidence"), .bound = gb_iwae(.draws = 5), .steps = 100,
                .points = 3, .seeds = 2, .threads = 1, .estimators = GB_ESTIMATORS(gb_dreg()));
    assert_int_equal(r->status, GB_OK);
    assert_true(r->rises && !r->is_exact && r->draws == 1000);
    const gb_race_point *const p = r->estimator[0].point;
    assert_true(p[0].value.value < p[1].value.value && p[1].value.value < p[2].value.value + 0.01);
    const double log_z = -0.5 * log(2 * GB_PI * 1.49) - 0.5 * 1.44 / 1.49; /* y ~ N(0, 1 + 0.7²), y = 1.2 */
    assert_near(p[2].value.value, log_z, 0.02);
    gb_racing_free(r);
}

TEST(an_estimator_that_does_not_fit_is_left_out)
{
    gb_racing *const r = gb_race(.problem = gb_problem_find("bernoulli-toy"), .steps = 5, .threads = 1,
                                 .estimators = GB_ESTIMATORS(gb_pathwise(), gb_disarm()),
                                 .names = (const char *[]){"path", NULL});
    assert_int_equal(r->status, GB_EARGUMENT);
    assert_null(r->estimator[0].point);
    assert_string_equal(r->estimator[0].name, "path");
    assert_string_equal(r->estimator[1].name, "disarm");
    assert_non_null(strstr(r->estimator[0].why, "reparameterised sampler"));
    assert_non_null(r->estimator[1].point);
    gb_racing_free(r);
}

/* Two samples, if one estimator needs two; three for the antithetic pairs of one. */
TEST(all_have_as_many_samples_as_one_needs)
{
    const gb_estimator_list both = GB_ESTIMATORS(gb_score(), gb_score(.baseline = gb_leave_one_out())),
                            pairs = GB_ESTIMATORS(
                                gb_score(.baseline = gb_leave_one_out(), .draws = GB_ANTITHETIC));
    gb_racing *const third = gb_race(.problem = gb_problem_find("gauss-square"), .steps = 5, .threads = 1,
                                     .seeds = 1, .estimators = pairs);
    assert_int_equal(third->status, GB_OK);
    gb_racing_free(third);
    gb_racing *const r = gb_race(.problem = gb_problem_find("gauss-square"), .steps = 5, .threads = 1,
                                 .seeds = 1, .estimators = both),
                     *const one = gb_race(.problem = gb_problem_find("gauss-square"), .steps = 5,
                                          .threads = 1, .seeds = 1, .estimators = both, .samples = 1);
    assert_int_equal(r->status, GB_OK);
    assert_int_equal(one->status, GB_EARGUMENT);
    assert_null(one->estimator[1].point);
    gb_racing_free(r);
    gb_racing_free(one);
}

/* ---- models ---- */

enum { ROWS = 7, STEPS = 40 };
static const double X[ROWS] = {0.5, 1.2, -0.7, 0.9, -1.4, 0.3, 2.0},
                    Y[ROWS] = {0.4, 1.9, -1.1, 0.2, -0.7, 1.6, 2.2};

typedef struct choice {
    gb_estimator (*estimator)(void);
    int mistake;
} choice;

static bool never(void *user, const gb_fit_point *point)
{
    (void)user;
    (void)point;
    return true;
}

enum { NONE, NO_ELBO, EACH, NO_OPTIMISER, CHECKPOINT, ON_TAPE };

/* y ~ N(w x, 1), w ~ N(0, 1). */
static gb_elbo *record(void *user, gb_tape *t, gb_fit_options *o)
{
    const choice *const c = user;
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    o->data = gb_batches_new(t, .rows = ROWS, .batch = 3,
                             .columns = GB_COLUMNS({x, gb_doubles(X)}, {y, gb_doubles(Y)}));
    o->optimiser = c->mistake == NO_OPTIMISER ? (gb_optimiser){0} : gb_adam(.lr = 0.05);
    o->each = c->mistake == EACH ? never : NULL;
    o->checkpoint = c->mistake == CHECKPOINT ? "x" : NULL;
    o->epochs = 1000; /* the race says how many steps there are */
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node one = gb_num(t, 1);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(), .location = 0, .scale = 1, .map = GB_SCALE_EXP),
                  gb_normal(gb_num(t, 0), one), c->estimator());
    gb_observe(e, "y", gb_normal(gb_mul(w, x), one), y);
    if (c->mistake == ON_TAPE)
        gb_fail(t, GB_EARGUMENT, "a mistake of the model");
    return c->mistake == NO_ELBO ? NULL : e;
}

static double exact_bound(double location, double scale)
{
    double sum = 0, s2 = scale * scale;
    for (int i = 0; i < ROWS; i++) {
        const double off = Y[i] - location * X[i];
        sum -= 0.5 * (log(2 * GB_PI) + off * off + X[i] * X[i] * s2);
    }
    return sum - 0.5 * (s2 + location * location - 1) + log(scale);
}

static gb_estimator quadrature(void)
{
    return gb_quadrature(.nodes = 8);
}

static gb_estimator pathwise(void)
{
    return gb_pathwise();
}

/* By the quadrature of the model the bound is exact, on all rows: batches of 3, 3 and 1. Trainings are those
 * of models that were recorded with the estimators. */
TEST(trainings_are_those_of_gb_fit)
{
    const gb_tape_options tape = one_thread();
    choice by_quadrature = {quadrature, NONE}, by_path = {pathwise, NONE};
    gb_racing *const r =
        gb_race(.make = record, .user = &by_quadrature, .tape = &tape, .steps = STEPS, .points = 3,
                .seeds = 2, .seed = 4, .draws = 1, .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
    assert_string_equal(r->error, "");
    assert_int_equal(r->step[1], STEPS / 2);
    for (size_t i = 0; i < 2; i++)
        assert_close(r->estimator[i].point[0].value.value, exact_bound(0, 1), 1000);
    for (uint64_t seed = 4; seed < 6; seed++) {
        gb_tape *const own = test_tape(.seed = seed, .threads = 1);
        gb_fit_options o = {.size = sizeof o};
        gb_elbo *const e = record(&by_path, own, &o);
        o.epochs = 0;
        o.steps = STEPS;
        assert_int_equal(gb_fit_with(e, &o).status, GB_OK);
        const double location = gb_value(gb_variable_named(own, "w.location")),
                     scale = exp(gb_value(gb_variable_named(own, "w.log_scale")));
        assert_near(r->estimator[0].value[(seed - 4) * 3 + 2], exact_bound(location, scale), 1e-9);
    }
    gb_racing_free(r);
}

/* By draws: the same at all points, so differences are those of the parameters. */
TEST(a_bound_by_draws_is_near)
{
    const gb_tape_options tape = one_thread();
    choice by_path = {pathwise, NONE};
    gb_racing *const r =
        gb_race(.make = record, .user = &by_path, .tape = &tape, .steps = 6, .points = 2, .seeds = 2,
                .draws = 4000, .estimators = GB_ESTIMATORS(gb_score(.baseline = gb_moving_average())));
    assert_string_equal(r->error, "");
    assert_near(r->estimator[0].point[0].value.value, exact_bound(0, 1),
                0.6); /* the sd of a draw is about 7 */
    gb_racing_free(r);
}

/* A relaxed draw has another value; the bound is that of the draws themselves. */
static gb_elbo *record_counted(void *user, gb_tape *t, gb_fit_options *o)
{
    choice plain = {pathwise, NONE};
    ++*(int *)user;
    return record(&plain, t, o);
}

/* Each estimator trains a few steps before any seconds count. */
TEST(each_estimator_warms_up_first)
{
    int calls = 0;
    gb_racing *const r = gb_race(.make = record_counted, .user = &calls, .steps = 4, .points = 2, .seeds = 3,
                                 .draws = 2, .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
    assert_int_equal(r->status, GB_OK);
    assert_int_equal(calls, 2 * (1 + 3));
    gb_racing_free(r);
}

static gb_elbo *record_choice(void *user, gb_tape *t, gb_fit_options *o)
{
    (void)user;
    o->optimiser = gb_adam(.lr = 1e-12);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node logit = gb_variable(t, "logit", gb_shape(), gb_fill(0));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(gb_bernoulli_logits(logit)),
                                gb_bernoulli(gb_num(t, 0.5)), gb_relaxed_draws());
    gb_factor(e, "f", gb_neg(gb_square(gb_shift(z, -0.5)))); /* -1/4 at 0 and at 1, less between */
    return e;
}

TEST(a_relaxed_model_is_evaluated_at_its_draws)
{
    const gb_tape_options tape = one_thread();
    gb_racing *const r = gb_race(.make = record_choice, .tape = &tape, .steps = 2, .points = 2, .seeds = 1,
                                 .draws = 100, .estimators = GB_ESTIMATORS(gb_disarm(), gb_relaxed_draws()));
    assert_string_equal(r->error, "");
    for (size_t i = 0; i < 2; i++)
        assert_near(r->estimator[i].point[1].value.value, -0.25, 1e-9);
    gb_racing_free(r);
}

/* After some steps a value that is not finite: the training fails, and those before are kept. */
static gb_elbo *record_failing(void *user, gb_tape *t, gb_fit_options *o)
{
    (void)user;
    o->optimiser = gb_sgd(.lr = 0.1);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node m = gb_latent(e, "m", gb_mean_field(gb_shape(), .location = 1, .scale = 1e-3), gb_no_prior,
                                gb_pathwise());
    gb_factor(e, "f", gb_sub(gb_sqrt(m), gb_scale(gb_log(m), 3))); /* m falls, until it is below 0 */
    return e;
}

TEST(a_training_that_fails_keeps_its_points)
{
    const gb_tape_options tape = one_thread();
    gb_racing *const r = gb_race(.make = record_failing, .tape = &tape, .steps = 100, .points = 101,
                                 .seeds = 2, .estimators = GB_ESTIMATORS(gb_pathwise()), .draws = 1);
    assert_int_equal(r->status, GB_ENONFINITE);
    assert_int_equal(r->estimator[0].failed, 2);
    assert_true(isfinite(r->estimator[0].value[1]));
    assert_true(isnan(r->estimator[0].value[100]));
    assert_true(isnan(r->estimator[0].point[100].value.value));
    gb_racing_free(r);
}

typedef struct made {
    const char *name;
    int mistake;
    const char *words;
} made;

static const made mistakes[] = {{"no ELBO", NO_ELBO, "`make` returned no ELBO"},
                                {"each", EACH, "`make` sets .each"},
                                {"no optimiser", NO_OPTIMISER, "`make` gives no .optimiser"},
                                {"checkpoint", CHECKPOINT, "`make` gives a .checkpoint"},
                                {"on the tape", ON_TAPE, "a mistake of the model"}};

TEST_EACH(a_model_that_cannot_race_is_rejected, mistakes)
{
    const made *const m = row;
    const gb_tape_options tape = one_thread();
    choice c = {pathwise, m->mistake};
    gb_racing *const r = gb_race(.make = record, .user = &c, .tape = &tape, .steps = 5,
                                 .estimators = GB_ESTIMATORS(gb_pathwise()));
    assert_int_equal(r->status, GB_EARGUMENT);
    assert_non_null(strstr(r->estimator[0].why, m->words));
    gb_racing_free(r);
}

/* ---- batches ---- */

/* Each step sees two of six rows, the same for both estimators: with as much noise in the draws, a batch of
 * all rows is another training than none. Evaluations see all rows. */
TEST(a_step_sees_a_batch_and_an_evaluation_all_rows)
{
    const int64_t batch[] = {0, 6, 2};
    double last[3];
    for (size_t i = 0; i < 3; i++) {
        gb_racing *const r =
            gb_race(.problem = gb_problem_find("rows"), .estimators = GB_ESTIMATORS(gb_pathwise()),
                    .seeds = 2, .steps = 40, .points = 3, .threads = 1, .batch = batch[i]);
        assert_int_equal(r->status, GB_OK);
        assert_true(r->is_exact && r->asked->batch == batch[i]);
        assert_near(r->estimator[0].point[0].value.value, 9.3104, 1e-12); /* of all rows */
        last[i] = r->estimator[0].point[2].value.value;
        assert_true(last[i] < 6);
        gb_racing_free(r);
    }
    assert_true(last[2] != last[0] && last[2] != last[1]);
    gb_racing *const r = gb_race(.problem = gb_problem_find("gauss-square"),
                                 .estimators = GB_ESTIMATORS(gb_pathwise()), .batch = 2);
    assert_non_null(strstr(r->error, "it has no rows to take batches of"));
    gb_racing_free(r);
}

/* ---- options ---- */

typedef struct wrong {
    const char *name;
    gb_race_options options;
    const char *words;
} wrong;

static const gb_estimator nothing[1];
static const wrong wrongs[] = {
    {"estimators", {.seeds = 1}, "0 estimators; there are 1 to 16"},
    {"a list", {.estimators = {NULL, 3}}, "3 estimators, and the list is NULL"},
    {"a type", {.estimators = {nothing, 1}}, "number 1 has no type"},
    {"seeds", {.seeds = 1001}, ".seeds is 1001"},
    {"steps", {.steps = -1}, ".steps is -1; it must be from 1 to 100000000, or 0 for the default"},
    {"many steps", {.steps = INT64_MAX}, ".steps is 9223372036854775807"},
    {"draws", {.draws = INT64_MAX}, ".draws is"},
    {"samples", {.samples = 1000001}, ".samples is 1000001; it must be from 1 to 1000000"},
    {"threads", {.threads = -1}, ".threads is -1"},
    {"batch", {.batch = -1}, ".batch is -1"},
    {"points", {.points = 1}, ".points is 1; it must be from 2 to 10000"},
    {"rate", {.rate = -1}, ".rate is -1"}};

TEST_EACH(an_option_is_rejected, wrongs)
{
    const wrong *const w = row;
    gb_race_options o = w->options;
    o.size = sizeof o;
    gb_racing *const r = gb_race_with(&o);
    assert_int_equal(r->status, GB_EARGUMENT);
    assert_non_null(strstr(r->error, w->words));
    gb_racing_free(r);
}

TEST(what_races_is_a_problem_or_a_model)
{
    const gb_estimator_list one = GB_ESTIMATORS(gb_pathwise());
    gb_racing *r = gb_race(.estimators = one);
    assert_non_null(strstr(r->error, "one of .problem and .make is required"));
    gb_racing_free(r);
    r = gb_race(.estimators = one, .make = record, .problem = gb_problem_find("rows"));
    assert_non_null(strstr(r->error, "and not both"));
    gb_racing_free(r);
    r = gb_race(.estimators = one, .problem = gb_problem_find("rows"), .bound = gb_iwae());
    assert_non_null(strstr(r->error, "is no log weight"));
    gb_racing_free(r);
    r = gb_race(.estimators = one, .problem = gb_problem_find("rows"), .settings = 1,
                .setting = &(gb_compare_setting){"tau", 1});
    assert_non_null(strstr(r->error, "no setting tau"));
    gb_racing_free(r);
    r = gb_race_with(&(gb_race_options){0});
    assert_int_equal(r->status, GB_EARGUMENT);
    gb_racing_free(r);
    gb_racing_free(NULL);
}

static bool stop(void *user, double done)
{
    double *const last = user;
    assert_true(done >= *last && done <= 1);
    *last = done;
    return done < 0.2;
}

TEST(a_race_can_be_stopped)
{
    double last = 0;
    gb_racing *const r =
        gb_race(.problem = gb_problem_find("gauss-square"), .steps = 200000, .seeds = 4, .threads = 1,
                .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()), .progress = stop, .user = &last);
    assert_int_equal(r->status, GB_ESTOPPED);
    assert_non_null(strstr(r->error, "stopped after"));
    assert_true(isfinite(r->estimator[0].point[0].value.value)); /* of those that ended */
    gb_racing_free(r);
}

/* ---- what is written ---- */

static char text[1 << 16];

static void write_text(const gb_racing *r, gb_status (*write)(const gb_racing *, FILE *))
{
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    memset(text, 0, sizeof text);
    assert_int_equal(write(r, file), GB_OK);
    fclose(file);
}

TEST(no_step_is_evaluated_twice)
{
    gb_racing *const r = gb_race(.problem = gb_problem_find("bernoulli-toy"), .steps = 5, .seeds = 1,
                                 .threads = 1, .estimators = GB_ESTIMATORS(gb_disarm()));
    assert_int_equal(r->points, 6);
    for (size_t i = 0; i < r->points; i++)
        assert_int_equal(r->step[i], i);
    gb_racing_free(r);
}

TEST(a_race_is_written)
{
    gb_racing *const r =
        gb_race(.problem = gb_problem_find("bernoulli-toy"), .steps = 5, .points = 3, .seeds = 2,
                .threads = 1, .estimators = GB_ESTIMATORS(gb_pathwise(), gb_disarm(), gb_score()),
                .names = (const char *[]){NULL, "a \"b\" <c>", NULL});
    gb_status (*const write[])(const gb_racing *, FILE *) = {gb_racing_print, gb_racing_csv, gb_racing_json,
                                                             gb_racing_svg};
    write_text(r, gb_racing_print);
    assert_non_null(strstr(text, "which each estimator lowers by itself\nmean over 2 trainings"));
    assert_non_null(strstr(text, "\n       5 "));
    assert_non_null(strstr(text, "milliseconds of 5 steps"));
    assert_non_null(strstr(text, "pathwise is left out: draw b"));
    write_text(r, gb_racing_csv);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 1 + 2 * 2 * 3);
    assert_non_null(strstr(text, "\n\"a \"\"b\"\" <c>\",1,5,"));
    write_text(r, gb_racing_json);
    assert_true(json_is_valid(text));
    assert_int_equal(json_count(text, "estimators.1.points"), 3);
    assert_true(isnan(json_number(text, "estimators.0.points.0.step")));
    write_text(r, gb_racing_svg);
    assert_non_null(strstr(text, "a \"b\" &lt;c&gt;"));
    assert_null(strstr(text, "nan"));
    for (size_t i = 0; i < 4; i++) {
        FILE *const file = file_on_full_disk();
        assert_int_equal(write[i](r, file), GB_ESYSTEM);
        fclose(file);
        assert_int_equal(write[i](NULL, stderr), GB_EARGUMENT);
        assert_int_equal(write[i](r, NULL), GB_EARGUMENT);
    }
    gb_racing_free(r);
}
