/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A watch that is asked for what cannot be, or that has no memory; and what it writes. */
#include <stdio.h>

#include "support/close.h"

#include "compare/watch.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/swap.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/files.h"
#include "support/json.h"

enum { ROWS = 6 };
static const double X[ROWS] = {1, -1, 2, 0.5, -0.3, 0.9}, Y[ROWS] = {1.2, -0.7, 1.9, 0.4, 0, 1.1};

typedef struct line {
    gb_elbo *e;
    gb_batches *data;
} line;

static line line_of(gb_tape *t)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    const line made = {gb_elbo_new(t, .data_size = ROWS),
                       gb_batches_new(t, .rows = ROWS, .batch = 2,
                                      .columns = GB_COLUMNS({x, gb_doubles(X)}, {y, gb_doubles(Y)}))};
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_node w = gb_latent(made.e, "w", gb_mean_field(gb_shape(2)), gb_normal(zero, one), gb_pathwise());
    gb_observe(made.e, "y", gb_normal(gb_mul(gb_sum(w), x), one), y);
    return made;
}

/* ---- options ---- */

typedef struct mistake {
    const char *name;
    gb_watch_options options;
    const char *words;
} mistake;

static const gb_estimator nothing[1];
static const mistake mistakes[] = {
    {"every", {.every = -1}, ".every is -1"},
    {"samples", {.samples = -2}, ".samples is -2"},
    {"many samples",
     {.samples = (int64_t)INT32_MAX + 1},
     ".samples is 2147483648; it must be from 1 to 2147483647, or 0 for the default"},
    {"many draws", {.draws = 100000001}, ".draws is 100000001; it must be from 8 to 100000000"},
    {"lessons", {.lessons = -1}, ".lessons is -1"},
    {"many lessons", {.lessons = INT64_MAX}, ".lessons is 9223372036854775807; it must be from 1"},
    {"few batches", {.batches = 3}, ".batches is 3; it is 1, or from 4 to 256"},
    {"many batches", {.batches = 257}, ".batches is 257"},
    {"few draws", {.draws = 7}, ".draws is 7; it must be from 8"},
    {"share", {.share = -0.1}, ".share is -0.1"},
    {"seconds", {.seconds = NAN}, ".share is 0 and .seconds"},
    {"no list", {.estimators = {NULL, 2}}, "the list of 2 estimators is NULL"},
    {"many estimators", {.estimators = {nothing, 17}}, "17 estimators, and at most 16"},
    {"no such latent", {.estimators = {nothing, 1}, .latent = "v"}, NULL},
};

TEST_EACH(an_option_is_rejected, mistakes)
{
    const mistake *const m = row;
    gb_watch_options options = m->options;
    const gb_estimator score[] = {gb_score()};
    options.size = sizeof options;
    if (!m->words)
        options.estimators = gb_estimators_of(1, score);
    assert_null(gb_watch_with(line_of(t).e, &options));
    assert_int_equal(gb_error(t),
                     m->words ? (options.estimators.count > 16 ? GB_ELIMIT : GB_EARGUMENT) : GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(t), m->words ? m->words : "there is no draw v"));
}

TEST(raw_numbers_that_cannot_be_written_are_an_error)
{
    FILE *const full = fopen("/dev/full", "w");
    assert_null(gb_watch(line_of(t).e, .raw = full));
    assert_int_equal(gb_error(t), GB_ESYSTEM);
    assert_non_null(strstr(gb_error_text(t), "watch: .raw cannot be written"));
    fclose(full);
}

/* There is room for the head alone. The training goes on. */
TEST(raw_numbers_that_are_lost_are_an_error_of_the_watch, .threads = 1)
{
    char head[64];
    FILE *const small = fmemopen(head, sizeof head, "w");
    const line l = line_of(t);
    gb_watching *const w = gb_watch(l.e, .raw = small, .share = HUGE_VAL, .draws = 20, .batches = 4);
    assert_non_null(w);
    assert_int_equal(gb_fit(l.e, .optimiser = gb_adam(), .data = l.data, .steps = 3).status, GB_OK);
    assert_int_equal(w->status, GB_ESYSTEM);
    assert_string_equal(w->error, "watch: .raw cannot be written: gradients are missing in it");
    assert_true(w->points > 0 && w->point[0].estimator[0].parameter);
    fclose(small);
}

/* The model is recorded with the estimator, but what it learns cannot be learned so. */
TEST(an_estimator_that_cannot_be_prepared_is_an_error_of_the_watch, .threads = 1)
{
    const line l = line_of(t);
    const gb_baseline level = gb_learned_baseline(gb_variable(t, "level", gb_shape(), gb_fill(0)));
    gb_watching *const w = gb_watch(l.e, .share = HUGE_VAL, .learns_by = gb_natural(),
                                    .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score(.baseline = level)));
    assert_non_null(w);
    assert_int_equal(gb_fit(l.e, .optimiser = gb_adam(), .data = l.data, .steps = 3).status, GB_OK);
    assert_true(w->status != GB_OK && strstr(w->error, "natural: level has no metric") && *w->why[1]);
    assert_true(w->points > 0 && w->point[0].estimator[0].parameter);
}

TEST(nothing_that_fits_is_an_error)
{
    assert_null(gb_watch(line_of(t).e, .estimators = GB_ESTIMATORS(gb_arm(), gb_rebar())));
    assert_non_null(strstr(gb_error_text(t), "no estimator fits; swap: arm does not fit draw w"));
    assert_non_null(strstr(gb_error_text(t), "; swap: rebar does not fit draw w"));
}

TEST(batches_of_another_tape_are_rejected)
{
    gb_tape *const other = test_tape();
    const line l = line_of(t);
    assert_null(gb_watch(l.e, .data = line_of(other).data));
    assert_non_null(strstr(gb_error_text(t), "of another tape"));
}

/* Too many elements for figures of each. */
/* Before the first step of a loop nothing has been fed. */
TEST(a_loop_by_hand_needs_data_or_rows)
{
    const line l = line_of(t);
    gb_watching *const w = gb_watch(l.e, .share = HUGE_VAL);
    assert_int_equal(gb_watching_look(w, 0), GB_EFEED);
    assert_non_null(strstr(gb_error_text(t), "was not fed; say in .data of gb_watch"));
}

TEST(elements_have_a_limit)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(600)), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_factor(e, "f", gb_neg(gb_square(w)));
    assert_null(gb_watch(e, .elements = true));
    assert_int_equal(gb_error(t), GB_ELIMIT);
    assert_non_null(strstr(gb_error_text(t), "1200 numbers"));
}

TEST(null_is_an_error_or_nothing)
{
    gb_watching_end(NULL);
    assert_null(gb_watch(NULL));
    assert_int_equal(gb_watching_look(NULL, 0), GB_EARGUMENT);
    gb_watching *const w = gb_watch(line_of(t).e);
    gb_status (*const write[])(const gb_watching *, FILE *) = {gb_watching_print, gb_watching_csv,
                                                               gb_watching_json, gb_watching_svg};
    for (size_t i = 0; i < sizeof write / sizeof *write; i++) {
        assert_int_equal(write[i](NULL, stderr), GB_EARGUMENT);
        assert_int_equal(write[i](w, NULL), GB_EARGUMENT);
    }
    const gb_swap swap = {.estimator = gb_score()};
    assert_null(gb_elbo_swapped(NULL, "x", 1, &swap));
    assert_null(gb_elbo_swapped(line_of(test_tape()).e, "", 1, &swap));
    assert_null(gb_elbo_swapped(line_of(test_tape()).e, "x", 1, NULL));
}

/* A second watch of the same ELBO, and a second training. */
TEST(two_watches_see_the_same, .seed = 3, .threads = 1)
{
    const line l = line_of(t);
    const gb_estimator_list both = GB_ESTIMATORS(gb_pathwise(), gb_score(.baseline = gb_moving_average()));
    gb_watching *const a = gb_watch(l.e, .every = 5, .share = HUGE_VAL, .estimators = both),
                       *const b = gb_watch(l.e, .every = 5, .share = HUGE_VAL, .estimators = both);
    for (int k = 0; k < 2; k++)
        assert_int_equal(gb_fit(l.e, .optimiser = gb_adam(), .data = l.data, .steps = 10).status, GB_OK);
    assert_int_equal(a->points, 5);
    assert_int_equal(b->points, 5);
    assert_int_equal(a->point[4].step, 20);
    for (size_t p = 0; p < 5; p++)
        for (size_t i = 0; i < 2; i++)
            assert_true(a->point[p].estimator[i].parameter[2].variance.value ==
                        b->point[p].estimator[i].parameter[2].variance.value);
}

/* ---- what is written ---- */

static char text[1 << 17];

static void write_text(const gb_watching *w, gb_status (*write)(const gb_watching *, FILE *))
{
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    memset(text, 0, sizeof text);
    assert_int_equal(write(w, file), GB_OK);
    fclose(file);
}

static gb_watching *trained(gb_tape *t)
{
    const line l = line_of(t);
    gb_watching *const w = gb_watch(
        l.e, .every = 5, .share = HUGE_VAL, .by_draw = true,
        .names = (const char *[]){"path \"<1>\"", NULL, NULL},
        .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score(.baseline = gb_leave_one_out()), gb_arm()),
        .samples = 2);
    assert_int_equal(gb_fit(l.e, .optimiser = gb_adam(), .data = l.data, .steps = 10).status, GB_OK);
    assert_int_equal(w->points, 3);
    return w;
}

static size_t count_of(const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

TEST(tables_have_every_point, .threads = 1)
{
    write_text(trained(t), gb_watching_print);
    assert_non_null(
        strstr(text, "200 gradients by each estimator at each point, in 4 numbers together, 10 on each"));
    assert_non_null(strstr(text, "variance of a gradient ± standard error"));
    assert_non_null(strstr(text, "of this by the draws + by the batches"));
    assert_non_null(strstr(text, "of this by draw w alone"));
    assert_non_null(strstr(text, "signal-to-noise ratio [95 %]"));
    assert_non_null(strstr(text, "variance in w.raw_scale, 2 numbers together"));
    assert_non_null(strstr(text, "arm is left out: swap: arm does not fit draw w"));
    assert_null(strstr(text, "invalid argument"));
    assert_int_equal(count_of("\n      10 "), 8);
}

TEST(csv_has_a_line_for_each_parameter, .threads = 1)
{
    write_text(trained(t), gb_watching_csv);
    assert_int_equal(count_of("\n"), 1 + 3 * 2 * 3);
    assert_non_null(strstr(text, "\n10,"));
    assert_non_null(strstr(text, ",\"path \"\"<1>\"\"\",all,4,200,20,"));
    size_t columns = 1;
    for (const char *at = text; *at != '\n'; at++)
        columns += *at == ',';
    size_t cells = 1;
    for (const char *at = strchr(text, '\n') + 1; *at != '\n'; at++)
        cells += *at == ',';
    assert_int_equal(cells, columns);
}

TEST(json_can_be_read, .threads = 1)
{
    write_text(trained(t), gb_watching_json);
    assert_true(json_is_valid(text));
    assert_int_equal(count_of("\"step\": "), 3);
    assert_true(json_number(text, "seed") == (double)gb_tape_seed(t) && json_number(text, "every") == 5 &&
                json_number(text, "samples") == 2);
    assert_non_null(strstr(text, "{\"schema\": \"grebe-watch-1\", \"grebe\": \"0."));
    assert_non_null(strstr(text, "\"watched\": [{\"name\": \"path \\\"<1>\\\"\", \"text\": \"pathwise\"}, "));
    assert_non_null(strstr(text, "\"left_out\": {\"arm\": \"swap: arm does not fit"));
}

TEST(a_picture_escapes_its_words, .threads = 1)
{
    write_text(trained(t), gb_watching_svg);
    assert_non_null(strstr(text, "</svg>"));
    assert_non_null(strstr(text, "path \"&lt;1&gt;\""));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

/* Before a training there is nothing to see, and it says so. */
TEST(without_a_training_there_are_words)
{
    gb_watching *const w = gb_watch(line_of(t).e);
    write_text(w, gb_watching_print);
    assert_non_null(strstr(text, "no point was measured: no training ran"));
    write_text(w, gb_watching_svg);
    assert_non_null(strstr(text, "</svg>"));
    write_text(w, gb_watching_json);
    assert_true(json_is_valid(text));
}

TEST(points_that_are_left_out_are_told, .threads = 1)
{
    const line l = line_of(t);
    gb_watching *const w = gb_watch(l.e, .every = 10, .share = 1e-9, .seconds = -1);
    assert_int_equal(gb_fit(l.e, .optimiser = gb_adam(), .data = l.data, .steps = 20).status, GB_OK);
    write_text(w, gb_watching_print);
    assert_non_null(strstr(text, "3 of 3 points were left out"));
    write_text(w, gb_watching_svg);
    assert_non_null(strstr(text, "3 of 3 points were left out"));
}

TEST(a_full_disk_is_an_error, .threads = 1)
{
    gb_watching *const w = trained(t);
    gb_status (*const write[])(const gb_watching *, FILE *) = {gb_watching_print, gb_watching_csv,
                                                               gb_watching_json, gb_watching_svg};
    for (size_t i = 0; i < sizeof write / sizeof *write; i++) {
        FILE *const file = file_on_full_disk();
        assert_int_equal(write[i](w, file), GB_ESYSTEM);
        fclose(file);
    }
}

/* ---- memory ---- */

static gb_status watch_a_training(gb_tape *t, const void *what)
{
    const line l = line_of(t);
    gb_watching *const w =
        gb_watch(l.e, .every = 2, .share = HUGE_VAL, .draws = 8, .batches = 4, .by_draw = true,
                 .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score(.baseline = gb_moving_average())));
    gb_fit(l.e, .optimiser = gb_adam(), .data = l.data, .steps = 2);
    (void)what;
    return gb_error(t) != GB_OK ? gb_error(t) : w ? w->status : GB_ENOMEM;
}

TEST(a_watch_without_memory_fails_in_words)
{
    assert_outlives_lack_of_memory(watch_a_training, NULL, "watch", 60, (gb_tape_options){.threads = 1});
}

static gb_status swap_all(gb_tape *t, const void *what)
{
    const gb_swap swap = {.estimator = gb_measure_valued()};
    gb_elbo_loss(gb_elbo_swapped(line_of(t).e, "other", 1, &swap));
    (void)what;
    return gb_error(t);
}

TEST(a_swap_without_memory_fails_in_words)
{
    assert_outlives_lack_of_memory(swap_all, NULL, "swap", 0, (gb_tape_options){.threads = 1});
}
