/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training: what it does is what a loop by hand does; when it ends; what it reports. */
#include "support/close.h"

#include <stdio.h>

#include "core/noise.h"
#include "models/line.h"
#include "models/optimiser.h"
#include "ops/array.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

/* ---- the same as by hand ---- */

TEST(it_is_the_loop_that_one_would_write)
{
    static model fitted, by_hand;
    make(&fitted);
    make(&by_hand);
    const gb_fit_result r =
        gb_fit(fitted.e, .optimiser = gb_adam(.lr = 0.02), .data = fitted.data, .epochs = 7);
    assert_int_equal(r.status, GB_OK);
    assert_int_equal(r.end, GB_FIT_STEPS);
    assert_int_equal(r.steps, 7 * 3);
    const gb_node loss = gb_elbo_loss(by_hand.e);
    gb_program *train = gb_compile(by_hand.t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.02)));
    for (int epoch = 0; epoch < 7; epoch++)
        while (gb_next_batch(by_hand.data))
            assert_int_equal(gb_run(train), GB_OK);
    assert_true(location(&fitted) == location(&by_hand));
}

TEST(a_second_call_goes_on_where_the_first_one_ended)
{
    static model once, twice;
    make(&once);
    make(&twice);
    gb_fit(once.e, .optimiser = gb_adam(.lr = 0.02), .data = once.data, .steps = 100);
    gb_fit(twice.e, .optimiser = gb_adam(.lr = 0.02), .data = twice.data, .steps = 35);
    const gb_fit_result rest =
        gb_fit(twice.e, .optimiser = gb_adam(.lr = 0.02), .data = twice.data, .steps = 65);
    assert_int_equal(rest.status, GB_OK);
    assert_int_equal(rest.last.step, 100);
    assert_true(location(&once) == location(&twice));
    assert_int_equal(gb_fit(twice.e, .optimiser = gb_adam(.lr = 0.01), .steps = 1).status, GB_EARGUMENT);
    assert_rejected(twice.t, GB_EARGUMENT, "fit: this ELBO was fitted before, by another optimiser");
}

/* A point, whose loss is a bowl without noise. */
static gb_elbo *bowl(gb_tape *t)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_point(gb_shape(), .location = 5), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_neg(gb_square(w)));
    return e;
}

/* Options whose padding is what memory had before. */
static gb_optimiser sgd_on(int memory)
{
    gb_sgd_options o;
    memset(&o, memory, sizeof o);
    o.size = sizeof o;
    o.lr = 0.01;
    o.rate = (gb_node){0};
    o.schedule = gb_steady();
    o.momentum = 0.5;
    o.nesterov = true;
    return gb_sgd_with(&o);
}

TEST(optimisers_differ_by_their_options_and_not_by_padding)
{
    gb_elbo *e = bowl(t);
    assert_int_equal(gb_fit(e, .optimiser = sgd_on(0x55), .steps = 1).status, GB_OK);
    assert_int_equal(gb_fit(e, .optimiser = sgd_on(0xaa), .steps = 1).status, GB_OK);
    const gb_optimiser others[] = {
        gb_sgd(.lr = 0.01, .momentum = 0.5), gb_adam(), gb_sgd(.lr = 0.01, .momentum = 0.4, .nesterov = true),
        gb_sgd(.lr = 0.02, .momentum = 0.5, .nesterov = true),
        gb_sgd(.lr = 0.01, .momentum = 0.5, .nesterov = true, .schedule = gb_step_decay(10, 0.5))};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(gb_fit(e, .optimiser = others[i], .steps = 1).status, GB_EARGUMENT);
        assert_rejected(t, GB_EARGUMENT, "fit: this ELBO was fitted before");
    }
}

TEST(choices_of_gb_minimise_are_passed_on)
{
    static model fitted, by_hand;
    make(&fitted);
    make(&by_hand);
    const gb_node only = gb_variable_named(fitted.t, "a.location");
    gb_fit_options o = {.size = sizeof o,
                        .optimiser = gb_sgd(.lr = 0.02),
                        .data = fitted.data,
                        .epochs = 7,
                        .gradient_norm = true,
                        .variables = gb_roots(only),
                        .clip = 3,
                        .clip_norm = 2,
                        .average = true,
                        .average_after = 2};
    assert_int_equal(gb_fit_with(fitted.e, &o).status, GB_OK);
    const gb_node loss = gb_elbo_loss(by_hand.e);
    gb_program *train = gb_compile(
        by_hand.t, gb_roots(loss),
        gb_minimise(loss, gb_sgd(.lr = 0.02), .clip = 3, .clip_norm = 2, .average = true, .average_after = 2,
                    .variables = gb_roots(gb_variable_named(by_hand.t, "a.location"))));
    for (int epoch = 0; epoch < 7; epoch++)
        while (gb_next_batch(by_hand.data))
            assert_int_equal(gb_run(train), GB_OK);
    assert_true(location(&fitted) == location(&by_hand) && location(&fitted) != 0);
    assert_true(gb_value(gb_variable_named(fitted.t, "b.location")) == 0);
    assert_true(gb_value(gb_variable_average(gb_variable_named(fitted.t, "a.location"))) ==
                gb_value(gb_variable_average(gb_variable_named(by_hand.t, "a.location"))));
    o.clip = 1;
    assert_int_equal(gb_fit_with(fitted.e, &o).status, GB_EARGUMENT);
    assert_rejected(fitted.t, GB_EARGUMENT, "or with other options of gb_minimise");
}

TEST(another_elbo_of_the_tape_does_not_change_the_number_of_samples)
{
    double at[2];
    for (int other = 0; other < 2; other++) {
        gb_tape *const tape = test_tape(.seed = 1);
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1, .samples = 2);
        const gb_dist normal = gb_normal(gb_num(tape, 0), gb_num(tape, 1));
        const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), normal, gb_pathwise());
        gb_factor(e, "f", gb_neg(gb_square(w)));
        if (other)
            gb_elbo_new(tape, .data_size = 1, .samples = 5);
        assert_int_equal(gb_fit(e, .optimiser = gb_sgd(), .steps = 5).status, GB_OK);
        at[other] = gb_value(gb_variable_named(tape, "w.raw_scale"));
    }
    assert_true(at[0] == at[1]);
}

/* ---- an optimiser that tries points ---- */

/* x − log x, infinite below 0, from 5 with steps that lead there. */
TEST(a_point_on_trial_may_have_an_infinite_loss)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    const gb_node w = gb_latent(e, "w", gb_point(gb_shape(), .location = 5), gb_no_prior, gb_pathwise());
    gb_log_likelihood(e, "f", gb_sub(gb_log(w), w));
    const gb_fit_result r = gb_fit(e, .optimiser = gb_lbfgs(.lr = 20), .steps = 100, .gradient_norm = true);
    assert_fine(t);
    assert_int_equal(r.end, GB_FIT_STEPS);
    assert_true(fabs(gb_value(w) - 1) < 1e-9);
    assert_true(isfinite(r.last.elbo));
}

/* Rosenbrock's valley. */
static gb_elbo *valley(gb_tape *t)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node x = gb_latent(e, "x", gb_point(gb_shape(2), .location = -1.2), gb_no_prior, gb_pathwise());
    const gb_node a = gb_slice(x, 0, 0, 1), b = gb_slice(x, 0, 1, 2);
    const gb_node off = gb_scale(gb_square(gb_sub(b, gb_square(a))), 100);
    gb_factor(e, "f", gb_neg(gb_sum(gb_add(off, gb_square(gb_shift(gb_neg(a), 1))))));
    return e;
}

static double loss_of(gb_tape *t, gb_elbo *e)
{
    const gb_node loss = gb_elbo_loss(e);
    gb_program *const look = gb_compile(t, gb_roots(loss), gb_no_update);
    assert_int_equal(gb_run(look), GB_OK);
    return gb_value(loss);
}

TEST(it_ends_at_a_point_that_was_accepted)
{
    double best = INFINITY;
    for (int steps = 1; steps < 60; steps++) {
        gb_tape *const tape = test_tape();
        gb_elbo *e = valley(tape);
        assert_int_equal(gb_fit(e, .optimiser = gb_lbfgs(), .steps = steps).status, GB_OK);
        const double at = loss_of(tape, e);
        assert_true(at <= best);
        best = at;
    }
    assert_true(best < 1e-9);
}

TEST(and_goes_on_from_the_one_that_was_on_trial)
{
    gb_tape *const thrice = test_tape();
    gb_elbo *a = valley(t), *b = valley(thrice);
    gb_fit(a, .optimiser = gb_lbfgs(), .steps = 30);
    for (int i = 0; i < 3; i++)
        gb_fit(b, .optimiser = gb_lbfgs(), .steps = 5 + 5 * i);
    double x[2], y[2];
    gb_read(gb_variable_named(t, "x"), x, 2);
    gb_read(gb_variable_named(thrice, "x"), y, 2);
    assert_true(x[0] == y[0] && x[1] == y[1]);
}

/* ---- when it ends, by numbers ---- */

TEST(whichever_of_steps_and_epochs_comes_first_ends_it)
{
    for (int64_t steps = 1; steps <= 10; steps += 3) {
        static model m;
        make(&m);
        const gb_fit_result r =
            gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .steps = steps, .epochs = 2);
        assert_int_equal(r.steps, steps < 6 ? steps : 6);
        assert_int_equal(r.last.step, r.steps);
    }
}

TEST(more_epochs_than_can_be_counted_are_for_ever)
{
    static model m;
    make(&m);
    gb_batches *halves =
        gb_batches_new(m.t, .rows = N, .batch = N / 2, .name = "halves",
                       .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}, {m.y, gb_doubles(m.ys)}));
    const gb_fit_result r =
        gb_fit(m.e, .optimiser = gb_adam(), .data = halves, .steps = 5, .epochs = INT64_MAX);
    assert_int_equal(r.status, GB_OK);
    assert_int_equal(r.steps, 5);
}

/* ---- what it reports ---- */

TEST(epochs_are_those_that_have_ended)
{
    static model m;
    make(&m);
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .epochs = 3, .window = 2);
    assert_int_equal(r.points, 5);
    const uint64_t ended[] = {0, 1, 2, 2, 3};
    for (size_t i = 0; i < r.points; i++)
        assert_int_equal(r.point[i].epoch, ended[i]);
    assert_true(gb_next_batch(m.data)); /* of the fourth */
}

/* What a tape was given so far. */
static void *count_bytes(void *user, void *old, size_t bytes)
{
    *(size_t *)user += bytes;
    return realloc(old, bytes);
}

static void give_back(void *user, void *old)
{
    (void)user;
    free(old);
}

TEST(the_history_grows_with_its_points)
{
    size_t bytes = 0;
    gb_tape *tape = gb_tape_new(.threads = 1, .memory = {count_bytes, give_back, &bytes});
    gb_elbo *e = bowl(tape);
    assert_int_equal(gb_fit(e, .optimiser = gb_sgd(.lr = 1e-4), .plateau = true, .steps = 100).points, 2);
    const size_t before = bytes;
    assert_int_equal(gb_fit(e, .optimiser = gb_sgd(.lr = 1e-4), .plateau = true, .steps = 100).points, 2);
    assert_true(bytes - before < 20000);
    const int64_t steps = 65536 * 2 + 10;
    const gb_fit_result r = gb_fit(e, .optimiser = gb_sgd(.lr = 1e-4), .steps = steps, .window = 1);
    assert_int_equal(r.points, 65536);
    for (size_t i = 0; i < r.points; i++)
        assert_int_equal(r.point[i].step, 200 + (uint64_t)steps - 65535 + i);
    assert_true(isnan(r.last.error));
    gb_tape_free(tape);
}

TEST(the_history_has_the_mean_of_each_window_and_its_error)
{
    static model m, again;
    make(&m);
    make(&again);
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(.lr = 0.01), .data = m.data, .steps = 95,
                                   .window = 30, .gradient_norm = true);
    assert_int_equal(r.points, 4);
    size_t count;
    const gb_node loss = gb_elbo_loss(again.e), elbo = gb_elbo_terms(again.e, &count)[3].value;
    gb_program *train = gb_compile(again.t, gb_roots(elbo), gb_minimise(loss, gb_adam(.lr = 0.01)));
    for (size_t i = 0; i < r.points; i++) {
        double sum = 0, squares = 0;
        const int steps = i < 3 ? 30 : 5;
        for (int k = 0; k < steps; k++) {
            if (!gb_next_batch(again.data))
                gb_next_batch(again.data);
            assert_int_equal(gb_run(train), GB_OK);
            const double value = gb_value(elbo);
            sum += value;
            squares += value * value;
        }
        const double mean = sum / steps;
        assert_int_equal(r.point[i].step, i < 3 ? 30 * (i + 1) : 95);
        assert_close(r.point[i].elbo, mean, 1e4);
        assert_close(r.point[i].error, sqrt((squares / steps - mean * mean) / (steps - 1)), 1e8);
        assert_true(r.point[i].gradient_norm > 0 && r.point[i].seconds >= 0);
    }
}

TEST(progress_is_lines_where_there_is_no_terminal)
{
    static model m;
    char text[4000];
    FILE *file = tmpfile();
    assert_non_null(file);
    make(&m);
    gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .steps = 60, .progress = file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_non_null(strstr(text, "step 60  ELBO "));
    assert_non_null(strstr(text, " ± "));
    assert_non_null(strstr(text, "gradient "));
    assert_non_null(strstr(text, "done\n"));
    assert_null(strchr(text, '\r'));
    fclose(file);
}

TEST(a_failure_in_the_first_window_is_reported_too)
{
    static model m;
    char text[4000];
    FILE *file = tmpfile();
    assert_non_null(file);
    make(&m);
    m.ys[17] = INFINITY;
    uint64_t steps = 0;
    while (steps == 0) {
        const gb_fit_result r =
            gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .steps = 60, .progress = file);
        assert_int_equal(r.end, GB_FIT_ERROR);
        assert_int_equal(r.last.step, r.steps);
        assert_int_equal(r.points, r.steps > 0);
        steps = r.steps;
        gb_forgive(m.t);
    }
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_non_null(strstr(text, "failed\n"));
    assert_non_null(strstr(text, "step "));
    fclose(file);
}

TEST(the_callback_ends_it)
{
    static model m;
    uint64_t most = 40;
    make(&m);
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .steps = 1000, .window = 20,
                                   .each = until, .user = &most);
    assert_int_equal(r.end, GB_FIT_CALLBACK);
    assert_int_equal(r.steps, 40);
}

static bool stops_at(void *user)
{
    uint64_t *const left = user;
    return --*left == 0;
}

/* It is asked after each step, also within a window. */
TEST(stop_ends_it_after_the_step)
{
    static model m;
    uint64_t left = 33;
    make(&m);
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .steps = 1000, .window = 20,
                                   .stop = stops_at, .user = &left);
    assert_int_equal(r.end, GB_FIT_CALLBACK);
    assert_int_equal(r.steps, 33);
    assert_int_equal(r.last.step, 33);
}

/* ---- what was fed ---- */

typedef enum way_to_look {
    COPIED,
    BORROWED,
    FED_FOR_THE_TRAINING,
    LOOKED_AND_FED,
    HALF_LOOKED_AT
} way_to_look;

/* Looks at other rows, which .each feeds. */
typedef struct validation {
    model m;
    way_to_look way;
    gb_program *look;
    double xs[7], ys[7], last;
} validation;

static bool validate(void *user, const gb_fit_point *point)
{
    validation *const v = user;
    (void)point;
    for (int i = 0; i < 7; i++) {
        v->xs[i] = i;
        v->ys[i] = 10 - i;
    }
    if (v->way == BORROWED) {
        gb_feed_borrowed(v->m.x, v->xs, 7);
        gb_feed_borrowed(v->m.y, v->ys, 7);
    } else {
        gb_feed(v->m.x, v->xs, 7);
        gb_feed(v->m.y, v->ys, 7);
    }
    if (v->way == FED_FOR_THE_TRAINING)
        return true;
    assert_int_equal(gb_run(v->look), GB_OK);
    if (v->way == HALF_LOOKED_AT)
        return true;
    if (v->way == LOOKED_AND_FED)
        gb_feed(v->m.x, v->xs, 7);
    v->last = gb_value(gb_elbo_term_named(v->m.e, "y").scale);
    return true;
}

static gb_fit_result fit_validated(validation *v, gb_batches *data, bool validated)
{
    if (!data) {
        gb_feed(v->m.x, v->m.xs, N);
        gb_feed(v->m.y, v->m.ys, N);
    }
    const gb_node of_x = gb_sum_over(v->m.x, GB_ROWS);
    v->look = v->way == HALF_LOOKED_AT ? gb_compile(v->m.t, gb_roots(of_x), gb_no_update)
                                       : gb_compile(v->m.t, gb_elbo_roots(v->m.e), gb_no_update);
    return gb_fit(v->m.e, .optimiser = gb_adam(.lr = 0.02), .steps = 60, .window = 7, .data = data,
                  .each = validated ? validate : NULL, .user = v);
}

TEST(rows_that_the_callback_looks_at_are_not_trained_on)
{
    for (int batches = 0; batches < 2; batches++) {
        static validation plain;
        make(&plain.m);
        assert_int_equal(fit_validated(&plain, batches ? plain.m.data : NULL, false).steps, 60);
        for (int way = COPIED; way <= BORROWED; way++) {
            static validation v;
            make(&v.m);
            v.way = (way_to_look)way;
            const gb_fit_result r = fit_validated(&v, batches ? v.m.data : NULL, true);
            assert_fine(v.m.t);
            assert_int_equal(r.steps, 60);
            assert_close(v.last, N / 7.0, 4);
            assert_true(location(&v.m) == location(&plain.m));
            if (!batches) /* and it still has its rows */
                assert_int_equal(gb_run(r.program), GB_OK);
        }
    }
}

TEST(rows_that_the_callback_feeds_for_the_training_are_rejected)
{
    static const char *const input[] = {
        [FED_FOR_THE_TRAINING] = "x", [LOOKED_AND_FED] = "x", [HALF_LOOKED_AT] = "y"};
    for (int way = FED_FOR_THE_TRAINING; way <= HALF_LOOKED_AT; way++) {
        static validation v;
        char words[80];
        make(&v.m);
        v.way = (way_to_look)way;
        assert_int_equal(fit_validated(&v, NULL, true).status, GB_EARGUMENT);
        snprintf(words, sizeof words, "fit: .each fed input %s and ran no program on it", input[way]);
        assert_rejected(v.m.t, GB_EARGUMENT, words);
    }
}

/* An input without a column would have rows of its own, whichever batch the others have. */
TEST(inputs_without_a_column_are_rejected)
{
    static model m;
    make(&m);
    gb_batches *const of_x = gb_batches_new(m.t, .rows = N, .batch = BATCH, .name = "of x",
                                            .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}));
    gb_feed(m.y, m.ys, BATCH);
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .steps = 3, .data = of_x).status, GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, "fit: .data has no column for input y, which the model needs");
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .steps = 3, .data = m.data).status, GB_OK);
}

/* The batches of 13 rows are 13, 13, 13 and 1. */
TEST(a_last_batch_of_one_row_is_rejected_where_others_are_needed)
{
    for (int batch = 13; batch <= 14; batch++) {
        static model m;
        make(&m);
        const gb_dist q = gb_normal(gb_variable(m.t, "m", gb_shape(), gb_fill(0)), gb_num(m.t, 1));
        gb_elbo *const e = gb_elbo_new(m.t, .data_size = N);
        const gb_node w = gb_latent(e, "w", gb_row_by_row(gb_posterior_of(q)), q,
                                    gb_score(.baseline = gb_leave_one_row_out()));
        gb_observe(e, "y", gb_normal(w, gb_num(m.t, 1)), m.y);
        gb_batches *const data = gb_batches_new(m.t, .rows = N, .batch = batch, .name = "short",
                                                .columns = GB_COLUMNS({m.y, gb_doubles(m.ys)}));
        const gb_fit_result r = gb_fit(e, .optimiser = gb_adam(), .epochs = 2, .data = data);
        if (batch == 14) {
            assert_fine(m.t);
            continue;
        }
        assert_int_equal(r.steps, 0);
        assert_rejected(m.t, GB_EARGUMENT,
                        "fit: the last batch of an epoch has a single row (40 rows in batches of 13), and "
                        "leave_one_row_out needs two or more");
    }
}

TEST(rows_that_are_not_the_data_set_are_rejected_unless_they_are_meant)
{
    static model m;
    make(&m);
    gb_batches *const part =
        gb_batches_new(m.t, .rows = 10, .name = "part",
                       .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}, {m.y, gb_doubles(m.ys)}));
    gb_feed(m.x, m.xs, 10);
    gb_feed(m.y, m.ys, 10);
    gb_batches *const either[] = {NULL, part};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .steps = 3, .data = either[i]).status,
                         GB_EARGUMENT);
        assert_rejected(
            m.t, GB_EARGUMENT,
            i ? "fit: .data has 10 rows, and .data_size of the ELBO is 40, so each row would count 4"
              : "fit: the inputs were fed 10 rows, and .data_size of the ELBO is 40");
        const gb_fit_result r =
            gb_fit(m.e, .optimiser = gb_adam(), .steps = 3, .data = either[i], .part_of_data = true);
        assert_int_equal(r.status, GB_OK);
        assert_int_equal(r.steps, 3);
    }
}

TEST(without_rows_there_is_nothing_to_train_on)
{
    static model m;
    make(&m);
    gb_feed(m.x, m.xs, 0);
    gb_feed(m.y, m.ys, 0);
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .steps = 3).status, GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, "fit: the inputs were fed 0 rows: there are no data");
}

/* A part has fewer rows than the whole. */
TEST(more_rows_than_the_data_set_are_rejected_in_any_case)
{
    static model m;
    double more[N + 1] = {0};
    make(&m);
    gb_feed(m.x, more, N + 1);
    gb_feed(m.y, more, N + 1);
    for (int part = 0; part < 2; part++) {
        gb_fit(m.e, .optimiser = gb_adam(), .steps = 3, .part_of_data = part);
        assert_rejected(
            m.t, GB_EARGUMENT,
            "fit: the inputs were fed 41 rows, and .data_size of the ELBO is 40, so each row would "
            "count 0.976 times");
    }
}

/* ---- when it ends ---- */

TEST(training_ends_where_it_no_longer_improves)
{
    static model m;
    make(&m);
    const gb_fit_result r =
        gb_fit(m.e, .optimiser = gb_adam(.lr = 0.02), .data = m.data, .steps = 100000, .plateau = true);
    assert_int_equal(r.end, GB_FIT_PLATEAU);
    assert_true(r.steps > 100 && r.steps < 20000);
    assert_true(fabs(location(&m) - 2) < 0.3);
}

/* The ELBO of a model with one sum of data, by many samples. */
static double evaluated(gb_tape *t, gb_elbo *e)
{
    size_t count;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    gb_program *const look = gb_compile(t, gb_roots(terms[count - 1].value), gb_no_update);
    gb_program_set_samples(look, 4000);
    assert_int_equal(gb_run(look), GB_OK);
    return gb_value(terms[count - 1].value);
}

/* The README's program: logistic regression, batches of 8 of 30 rows. Its optimum is −12.47 (by 5,000 steps
 * with 20 samples and a cosine schedule). */
TEST(the_default_end_is_near_the_optimum)
{
    enum { ROWS = 30 };
    double xs[ROWS * 3], ys[ROWS];
    for (int i = 0; i < ROWS * 3; i++)
        xs[i] = ((i * 37) % 11) / 5.0 - 1;
    for (int i = 0; i < ROWS; i++)
        ys[i] = xs[3 * i] > 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        gb_tape *const tape = test_tape(.seed = seed);
        const gb_node x = gb_input_rows(tape, "x", gb_shape(3)), y = gb_input_rows(tape, "y", gb_shape());
        gb_batches *data = gb_batches_new(tape, .rows = ROWS, .batch = 8,
                                          .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
        gb_elbo *e = gb_elbo_new(tape, .data_size = ROWS);
        const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(3)),
                                    gb_normal(gb_num(tape, 0), gb_num(tape, 1)), gb_pathwise());
        gb_observe(e, "y", gb_bernoulli_logits(gb_dot(x, w)), y);
        const gb_fit_result r = gb_fit(e, .optimiser = gb_adam(.lr = 1e-2), .data = data, .plateau = true);
        assert_int_equal(r.end, GB_FIT_PLATEAU);
        gb_feed(x, xs, ROWS);
        gb_feed(y, ys, ROWS);
        assert_true(evaluated(tape, e) > -12.47 - 0.25);
    }
}

/* So slow that a window shows nothing of it: 50 steps of 1e-3 on the way from 0 to 2, in noise of batches. */
TEST(a_slow_training_is_not_stopped_on_its_way)
{
    enum { ROWS = 200 };
    double xs[ROWS], ys[ROWS];
    for (int i = 0; i < ROWS; i++) {
        xs[i] = sin(i * 37.0) * 1.4;
        ys[i] = 2 * xs[i] + 1 + 0.7 * sin(i * 91.0);
    }
    for (uint64_t seed = 1; seed <= 6; seed++) {
        gb_tape *const tape = test_tape(.seed = seed);
        const gb_node x = gb_input_rows(tape, "x", gb_shape()), y = gb_input_rows(tape, "y", gb_shape());
        gb_elbo *e = gb_elbo_new(tape, .data_size = ROWS);
        const gb_dist prior = gb_normal(gb_num(tape, 0), gb_num(tape, 10));
        const gb_node a = gb_latent(e, "a", gb_mean_field(gb_shape()), prior, gb_pathwise());
        const gb_node b = gb_latent(e, "b", gb_mean_field(gb_shape()), prior, gb_pathwise());
        gb_observe(e, "y", gb_normal(gb_add(gb_mul(a, x), b), gb_num(tape, 0.5)), y);
        gb_batches *data = gb_batches_new(tape, .rows = ROWS, .batch = 20,
                                          .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
        const gb_fit_result r = gb_fit(e, .optimiser = gb_adam(.lr = 1e-3), .data = data, .plateau = true);
        assert_int_equal(r.end, GB_FIT_PLATEAU);
        assert_true(fabs(gb_value(gb_variable_named(tape, "a.location")) - 2) < 0.1);
        assert_true(fabs(gb_value(gb_variable_named(tape, "b.location")) - 1) < 0.1);
    }
}

/* An objective without noise rests at one number, to the last bit. */
TEST(a_deterministic_training_ends_at_rest)
{
    gb_elbo *e = bowl(t);
    const gb_fit_result r = gb_fit(e, .optimiser = gb_lbfgs(), .plateau = true, .steps = 100000);
    assert_int_equal(r.end, GB_FIT_PLATEAU);
    assert_true(r.steps <= 1200);
    assert_true(fabs(gb_value(gb_variable_named(t, "w"))) < 1e-9);
}

/* ---- what goes wrong ---- */

/* The line search would compare the losses of different rows. */
TEST(an_optimiser_that_tries_points_needs_one_batch)
{
    for (int64_t batch = 1; batch <= 3; batch++) {
        gb_tape *const tape = test_tape(.seed = 1);
        const double ys[] = {1, 2, 3};
        const gb_node y = gb_input_rows(tape, "y", gb_shape()), one = gb_num(tape, 1);
        gb_elbo *e = gb_elbo_new(tape, .data_size = 3);
        const gb_node w =
            gb_latent(e, "w", gb_point(gb_shape()), gb_normal(gb_num(tape, 0), one), gb_pathwise());
        gb_observe(e, "y", gb_normal(w, one), y);
        gb_batches *data =
            gb_batches_new(tape, .rows = 3, .batch = batch, .columns = GB_COLUMNS({y, gb_doubles(ys)}));
        const gb_fit_result r = gb_fit(e, .optimiser = gb_lbfgs(), .data = data, .steps = 50);
        if (batch < 3) {
            assert_true(r.end == GB_FIT_ERROR && r.steps == 0);
            assert_rejected(tape, GB_EARGUMENT, "fit: lbfgs needs the same data in each step");
        } else
            assert_close(gb_value(w), 1.5, 1e5);
    }
}

/* A datum outside the support, as an ELBO of −inf shows it. */
TEST(an_elbo_of_minus_infinity_stops_it, .seed = 1)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 2);
    const gb_dist prior = gb_gamma(gb_num(t, 2), gb_num(t, 1));
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), prior, gb_pathwise());
    const gb_node data = gb_input(t, "data", gb_shape(2));
    gb_observe(e, "y", gb_exponential(w), data);
    gb_feed(data, (const double[]){1, 2}, 1);
    assert_int_equal(gb_fit(e, .optimiser = gb_adam(.lr = 0.1), .steps = 3).status, GB_OK);
    const double before = gb_value(gb_variable_named(t, "w.location"));
    gb_feed(data, (const double[]){1, -2}, 1);
    const gb_fit_result r = gb_fit(e, .optimiser = gb_adam(.lr = 0.1), .steps = 50);
    assert_int_equal(r.end, GB_FIT_ERROR);
    assert_int_equal(r.steps, 0);
    assert_non_null(strstr(gb_error_text(t), "observe y: element 1 is -2, and must be "));
    assert_rejected(t, GB_ENONFINITE, "step 3");
    assert_true(gb_value(gb_variable_named(t, "w.location")) == before);
}

TEST(data_that_are_not_finite_stop_it_and_the_last_good_state_stays)
{
    static model m;
    make(&m);
    m.ys[17] = INFINITY;
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(.lr = 0.02), .data = m.data, .steps = 100);
    assert_int_equal(r.end, GB_FIT_ERROR);
    assert_int_equal(r.status, GB_ENONFINITE);
    assert_true(r.steps < 3);
    gb_forgive(m.t);
    assert_true(isfinite(location(&m)));
    static model good;
    make(&good);
    gb_fit(good.e, .optimiser = gb_adam(.lr = 0.02), .data = good.data, .steps = (int64_t)r.steps + !r.steps);
    assert_true(r.steps == 0 ? location(&m) == 0 : location(&m) == location(&good));
}

TEST(what_has_no_end_is_rejected)
{
    static model m;
    make(&m);
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam()).status, GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, ".steps, .epochs or .plateau = true is required to end the training");
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .epochs = 1).status, GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, "fit: .epochs needs .data (gb_batches_new), and there is none");
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .plateau = true, .window = 1).status, GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, "with .plateau a window must have at least 2 steps");
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .plateau = true, .false_stop = 0.7).status,
                     GB_EARGUMENT);
    assert_rejected(
        m.t, GB_EARGUMENT,
        "fit: .improvement is 0, .false_stop 0.7: the probability of a false stop must be below 1/2");
    assert_int_equal(gb_fit(m.e, .steps = 1).status, GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, ".steps is for a training, which needs .optimiser");
    assert_int_equal(gb_fit(NULL, .steps = 1).status, GB_EARGUMENT);
}

TEST(an_option_that_would_be_ignored_is_rejected)
{
    static model m;
    make(&m);
    const gb_fit_options all[] = {{.improvement = 1},
                                  {.false_stop = 0.1},
                                  {.resume = true},
                                  {.checkpoint_every = 5},
                                  {.average_after = 5}};
    const char *const words[] = {"fit: .improvement and .false_stop need .plateau = true",
                                 "fit: .improvement and .false_stop need .plateau = true",
                                 "fit: .resume and .checkpoint_every need .checkpoint",
                                 "fit: .resume and .checkpoint_every need .checkpoint",
                                 ".average = true makes them"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gb_fit_options o = all[i];
        o.size = sizeof o;
        o.optimiser = gb_adam();
        o.steps = 1;
        assert_int_equal(gb_fit_with(m.e, &o).status, GB_EARGUMENT);
        assert_rejected(m.t, GB_EARGUMENT, words[i]);
    }
}

TEST(data_that_are_not_the_elbos_are_rejected)
{
    static model m, other;
    make(&m);
    make(&other);
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .data = other.data, .steps = 1).status,
                     GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, "fit: .data is of another tape than .elbo");
    gb_elbo *small = gb_elbo_new(m.t, .data_size = 5);
    gb_factor(small, "f", gb_neg(gb_square(gb_variable_named(m.t, "a.location"))));
    assert_int_equal(gb_fit(small, .optimiser = gb_adam(), .data = m.data, .steps = 1).status, GB_EARGUMENT);
    assert_rejected(m.t, GB_EARGUMENT, "fit: .data has 40 rows, and the data set of the ELBO only 5");
}

/* ---- several seeds ---- */

typedef struct several {
    model m;
    double location[3];
    size_t count;
} several;

static gb_elbo *make_one(void *user, gb_tape *tape, gb_fit_options *options)
{
    several *const s = user;
    record(&s->m, tape);
    options->data = s->m.data;
    options->optimiser = gb_adam(.lr = 0.02);
    options->steps = 50;
    return s->m.e;
}

static void keep_one(void *user, size_t number, gb_tape *tape, const gb_fit_result *result)
{
    several *const s = user;
    (void)tape;
    assert_int_equal(result->steps, 50);
    s->location[number] = location(&s->m);
    s->count++;
}

TEST(seeds_are_fitted_one_by_one)
{
    static several s;
    const uint64_t seeds[] = {1, 2, 1};
    const gb_tape_options tape_options = {.size = sizeof tape_options, .threads = 1};
    assert_int_equal(gb_fit_each_seed(&(gb_fit_seeds){.size = sizeof(gb_fit_seeds),
                                                      .seeds = seeds,
                                                      .count = 3,
                                                      .tape = &tape_options,
                                                      .make = make_one,
                                                      .done = keep_one,
                                                      .user = &s}),
                     GB_OK);
    assert_int_equal(s.count, 3);
    assert_true(s.location[0] == s.location[2] && s.location[0] != s.location[1]);
}
