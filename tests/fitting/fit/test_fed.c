/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows that were fed: they stay while the user's callback feeds others, and must be the data set. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "fitting/loo.h"
#include "fitting/method.h"
#include "fitting/nuts.h"
#include "fitting/predictive.h"
#include "fitting/summary.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

enum { ROWS = 10 };
static const double data[ROWS] = {1, 2, 0.5, 1.5, 0, 1, 2, 1, 0.3, 1.7};

/* y ~ N(mu, 1) in each row. */
typedef struct model {
    gb_elbo *e;
    gb_node mu, y, each;
    gb_program *look; /* at other rows */
    bool is_run;
    int looks;
} model;

static model of_rows(gb_tape *t, gb_family family)
{
    model m = {
        .e = gb_elbo_new(t, .data_size = ROWS), .y = gb_input_rows(t, "y", gb_shape()), .is_run = true};
    m.mu = gb_latent(m.e, "mu", family, gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    m.each = gb_observe(m.e, "y", gb_normal(m.mu, gb_num(t, 1)), m.y);
    m.look = gb_compile(t, gb_roots(gb_sum_over(m.y, GB_ROWS)), gb_no_update);
    gb_feed(m.y, data, ROWS);
    return m;
}

/* ---- the user's callback ---- */

static void look_elsewhere(model *m)
{
    m->looks++;
    gb_feed(m->y, (const double[]){100, 101, 102}, 3);
    if (m->is_run)
        gb_run(m->look);
}

static bool while_fitting(void *user, const gb_fit_point *point)
{
    (void)point;
    look_elsewhere(user);
    return true;
}

static bool while_sampling(void *user, const gb_nuts_progress *progress)
{
    (void)progress;
    look_elsewhere(user);
    return true;
}

static const struct way {
    const char *name;
    gb_fit_method method;
} ways[] = {{"a_callback_may_feed_other_rows_to_fixed_draws", GB_FIT_FIXED_DRAWS},
            {"a_callback_may_feed_other_rows_to_stochastic_steps", GB_FIT_STOCHASTIC}};

TEST_EACH(a_callback_may_feed_other_rows, ways)
{
    double mean[2];
    for (int looks = 0; looks < 2; looks++) {
        gb_tape *const tape = test_tape(.seed = 1);
        model m = of_rows(tape, gb_mean_field(gb_shape()));
        const gb_fit_result r = gb_fit(m.e, .method = ((const struct way *)row)->method,
                                       .each = looks ? while_fitting : NULL, .user = &m);
        assert_fine(tape);
        assert_true(r.status == GB_OK && (m.looks > 0) == (looks > 0));
        gb_elbo_posterior_read(m.e, "mu", &mean[looks], NULL, 1);
    }
    assert_true(mean[0] == mean[1]);
}

TEST(a_callback_may_feed_other_rows_to_nuts)
{
    double mean[2];
    for (int looks = 0; looks < 2; looks++) {
        gb_tape *const tape = test_tape(.seed = 1);
        model m = of_rows(tape, gb_mean_field(gb_shape()));
        gb_nuts *const r = gb_sample_nuts(m.e, .draws = 100000, .chains = 2,
                                          .each = looks ? while_sampling : NULL, .user = &m);
        assert_fine(tape);
        assert_int_equal(m.looks > 0, looks);
        mean[looks] = r->convergence[0].mean;
        gb_nuts_free(r);
    }
    assert_true(mean[0] == mean[1]);
}

TEST(rows_that_a_callback_feeds_for_the_fit_are_rejected)
{
    model m = of_rows(t, gb_mean_field(gb_shape()));
    m.is_run = false;
    assert_int_equal(gb_fit(m.e, .each = while_fitting, .user = &m).status, GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "fit: .each fed input y and ran no program on it");
    assert_null(gb_sample_nuts(m.e, .draws = 100000, .each = while_sampling, .user = &m));
    assert_rejected(t, GB_EARGUMENT, "nuts: .each fed input y and ran no program on it");
}

/* ---- other rows than the data set ---- */

/* Whatever asks for log p. */
static void fits(gb_elbo *e, const model *m)
{
    (void)m;
    gb_fit(e);
}

static void judges(gb_elbo *e, const model *m)
{
    (void)m;
    assert_null(gb_judge(e));
}

static void summarises(gb_elbo *e, const model *m)
{
    (void)m;
    assert_null(gb_summary(e));
}

static void samples(gb_elbo *e, const model *m)
{
    (void)m;
    assert_null(gb_sample_nuts(e));
}

static void finds_the_mode(gb_elbo *e, const model *m)
{
    (void)m;
    assert_null(gb_laplace_normal(e));
}

static void leaves_one_out(gb_elbo *e, const model *m)
{
    assert_int_equal(gb_elbo_loo(e, gb_roots(m->each)).status, GB_EARGUMENT);
}

static void predicts(gb_elbo *e, const model *m)
{
    assert_int_equal(gb_predictive_check(e, m->mu, gb_sum_over(m->y, GB_ROWS)).status, GB_EARGUMENT);
}

static void evaluates(gb_elbo *e, const model *m)
{
    (void)m;
    assert_int_equal(gb_density_evaluate(gb_density_new(e), 1, (const double[]){0}, NULL, NULL, NULL),
                     GB_EARGUMENT);
}

static void multiplies(gb_elbo *e, const model *m)
{
    double h;
    (void)m;
    assert_int_equal(gb_density_hessian(gb_density_new(e), (const double[]){0}, &h), GB_EARGUMENT);
}

static void explains(gb_elbo *e, const model *m)
{
    (void)m;
    assert_int_equal(gb_density_explain(gb_density_new(e), (const double[]){0}), GB_EARGUMENT);
}

static const struct use {
    const char *name;
    void (*use)(gb_elbo *e, const model *m);
} uses[] = {{"a_fit_needs_all_rows", fits},
            {"a_judgement_needs_all_rows", judges},
            {"a_summary_needs_all_rows", summarises},
            {"nuts_needs_all_rows", samples},
            {"the_normal_at_the_mode_needs_all_rows", finds_the_mode},
            {"leaving_one_out_needs_all_rows", leaves_one_out},
            {"a_predictive_check_needs_all_rows", predicts},
            {"log_p_needs_all_rows", evaluates},
            {"a_hessian_needs_all_rows", multiplies},
            {"an_explanation_needs_all_rows", explains}};

TEST_EACH(all_rows_are_needed, uses)
{
    static const char *const words[] = {"the inputs were fed 0 rows: there are no data",
                                        "the inputs were fed 2 rows, and .data_size of the ELBO is 10, so "
                                        "each row would count 5 times",
                                        "the inputs were fed 11 rows, and .data_size of the ELBO is 10"};
    static const double more[ROWS + 1] = {0};
    static const int rows[] = {0, 2, ROWS + 1};
    const model m = of_rows(t, gb_mean_field(gb_shape()));
    for (int i = 0; i < 3; i++) {
        gb_feed(m.y, more, rows[i]);
        ((const struct use *)row)->use(m.e, &m);
        assert_rejected(t, GB_EARGUMENT, words[i]);
    }
}

TEST(batches_need_all_rows_and_columns)
{
    const model m = of_rows(t, gb_mean_field(gb_shape()));
    const gb_node x = gb_input_rows(t, "x", gb_shape());
    gb_observe(m.e, "x", gb_normal(m.mu, gb_num(t, 1)), x);
    gb_feed(x, data, ROWS);
    assert_null(gb_judge(
        m.e, .data = gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({m.y, gb_doubles(data)}))));
    assert_rejected(t, GB_EARGUMENT, "density: .data has no column for input x");
    assert_null(gb_judge(
        m.e, .data = gb_batches_new(t, .rows = 5,
                                    .columns = GB_COLUMNS({m.y, gb_doubles(data)}, {x, gb_doubles(data)}))));
    assert_rejected(t, GB_EARGUMENT, "density: .data has 5 rows, and .data_size of the ELBO is 10");
}

/* Judged with all rows, and asked about others. */
TEST(data_are_left_out_of_all_rows)
{
    const model m = of_rows(t, gb_mean_field(gb_shape()));
    gb_judgement *const j = gb_judge(m.e);
    assert_int_equal(gb_elbo_loo(m.e, gb_roots(m.each), .judgement = j).status, GB_OK);
    gb_feed(m.y, data, 2);
    assert_int_equal(gb_elbo_loo(m.e, gb_roots(m.each), .judgement = j).status, GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT,
                    "elbo_loo: the inputs were fed 2 rows, and .data_size of the ELBO is 10");
    gb_predictive_check(m.e, m.mu, gb_sum_over(m.y, GB_ROWS), .judgement = j);
    assert_rejected(t, GB_EARGUMENT, "predictive_check: the inputs were fed 2 rows");
    gb_summary_table *const s = gb_summary(m.e, .judgement = j, .nodes = gb_roots(m.each));
    assert_fine(t); /* predictions of any rows */
    assert_int_equal(s->rows, 3);
    gb_summary_free(s);
    gb_judgement_free(j);
}

TEST(a_part_of_the_data_may_stand_for_all)
{
    const model m = of_rows(t, gb_mean_field(gb_shape()));
    double log_p;
    gb_feed(m.y, data, 5);
    gb_density *const part = gb_density_new(m.e, .part_of_data = true);
    assert_int_equal(gb_density_evaluate(part, 1, (const double[]){1}, &log_p, NULL, NULL), GB_OK);
    assert_true(isfinite(log_p));
    assert_int_equal(gb_density_evaluate(gb_density_new(m.e), 1, (const double[]){1}, NULL, NULL, NULL),
                     GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "density: the inputs were fed 5 rows");
    gb_judgement_free(gb_judge(m.e, .density = part));
    assert_fine(t);
    assert_int_equal(gb_fit(m.e, .part_of_data = true).verdict, GB_VERDICT_GOOD);
    gb_judgement_free(gb_judge(m.e)); /* as the fit was told */
    assert_fine(t);
}

static gb_status use(gb_tape *t, const void *what)
{
    model m = of_rows(t, gb_mean_field(gb_shape()));
    (void)what;
    gb_fit(m.e, .method = GB_FIT_LAPLACE, .unjudged = true, .each = while_fitting, .user = &m);
    return gb_error(t);
}

TEST(lack_of_memory_is_an_error_at_each_request)
{
    assert_outlives_lack_of_memory(use, NULL, "fit", 0, (gb_tape_options){.seed = 1});
}

/* ---- a datum that is no number ---- */

TEST(a_datum_that_is_no_number_is_named)
{
    static const gb_fit_method methods[] = {GB_FIT_USUAL, GB_FIT_PATHFINDER, GB_FIT_LAPLACE};
    const char *const words = "observe y: row 2 is nan, and must be finite";
    double y[ROWS] = {0};
    const model m = of_rows(t, gb_mean_field(gb_shape()));
    y[2] = NAN;
    gb_feed(m.y, y, ROWS);
    for (int i = 0; i < 3; i++) {
        const gb_fit_result r = gb_fit(m.e, .method = methods[i]);
        assert_fine(t);
        assert_int_equal(r.end, GB_FIT_UNFINISHED);
        if (!strstr(r.words, words))
            fail_msg("%d: %s", i, r.words);
    }
    assert_null(gb_sample_nuts(m.e));
    assert_non_null(strstr(gb_error_text(t), "nuts: chain 0: log p is not finite at any of 100"));
    assert_rejected(t, GB_ENONFINITE, words);
    assert_null(gb_laplace_normal(m.e));
    assert_rejected(t, GB_ENONFINITE, words);
}

/* ---- what a fit leaves on the tape ---- */

/* A loop of fits must not grow: each judgement has all its draws. */
TEST(the_judgement_of_a_fit_may_be_freed_before_the_tape)
{
    counted_memory memory = {0};
    gb_tape *const tape = gb_tape_new(.seed = 1, .threads = 1, .memory = counted(&memory));
    const model m = of_rows(tape, gb_mean_field(gb_shape()));
    size_t before[2];
    gb_judgement_free(gb_fit(m.e).judgement);
    before[0] = memory.outstanding;
    gb_fit(m.e);
    before[1] = memory.outstanding;
    for (int i = 0; i < 8; i++)
        gb_judgement_free(gb_fit(m.e).judgement);
    assert_fine(tape);
    assert_true(before[1] > before[0]);
    assert_true(memory.outstanding <= before[1] + 2); /* blocks of the tape's arena */
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
}

TEST(an_elbo_without_latents_has_nothing_to_fit)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_observe(e, "y", gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_num(t, 1));
    assert_int_equal(gb_fit(e).status, GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "fit: the ELBO has no latents");
}
