/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training: what it does is what a loop by hand does; when it ends; what it tells. */
#include "support/close.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "models/fit.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

enum { N = 40, BATCH = 16 };

typedef struct model {
    gb_tape *t;
    gb_elbo *e;
    gb_node x, y;
    double xs[N], ys[N];
    gb_batches *data;
} model;

/* y = a x + b + noise, in batches. */
static void record_with(model *m, gb_tape *t, gb_schedule kl_schedule)
{
    m->t = t;
    for (int i = 0; i < N; i++) {
        m->xs[i] = i * 0.05 - 1;
        m->ys[i] = 2 * m->xs[i] + 0.3 + 0.1 * sin(i * 37.0);
    }
    m->x = gb_input_rows(t, "x", gb_shape());
    m->y = gb_input_rows(t, "y", gb_shape());
    m->e = gb_elbo_new(t, .data_size = N, .kl_schedule = kl_schedule);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_node a = gb_latent(m->e, "a", gb_mean_field(gb_shape()), prior, gb_pathwise());
    const gb_node b = gb_latent(m->e, "b", gb_mean_field(gb_shape()), prior, gb_pathwise());
    gb_observe(m->e, "y", gb_normal(gb_add(gb_mul(a, m->x), b), gb_num(t, 0.2)), m->y);
    m->data =
        gb_batches_new(t, .rows = N, .batch = BATCH, .columns = GB_COLUMNS({m->x, m->xs}, {m->y, m->ys}));
}

static void record(model *m, gb_tape *t)
{
    record_with(m, t, gb_steady());
}

static void make(model *m)
{
    record(m, gb_tape_new(.seed = 1, .threads = 1));
}

static double location(const model *m)
{
    return gb_value(gb_variable_named(m->t, "a.location"));
}

/* ---- the same as by hand ---- */

static void it_is_the_loop_that_one_would_write(void **state)
{
    (void)state;
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
    gb_tape_free(fitted.t);
    gb_tape_free(by_hand.t);
}

static void a_second_call_goes_on_where_the_first_one_ended(void **state)
{
    (void)state;
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
    assert_refused(twice.t, GB_EARGUMENT, "fit: this ELBO was fitted before, by another optimiser");
    gb_tape_free(once.t);
    gb_tape_free(twice.t);
}

static void whichever_of_steps_and_epochs_comes_first_ends_it(void **state)
{
    (void)state;
    for (int64_t steps = 1; steps <= 10; steps += 3) {
        static model m;
        make(&m);
        const gb_fit_result r =
            gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .steps = steps, .epochs = 2);
        assert_int_equal(r.steps, steps < 6 ? steps : 6);
        assert_int_equal(r.last.step, r.steps);
        gb_tape_free(m.t);
    }
}

/* ---- what it tells ---- */

static void the_history_has_the_mean_of_each_window_and_its_error(void **state)
{
    (void)state;
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
    gb_tape_free(m.t);
    gb_tape_free(again.t);
}

static void progress_is_lines_where_there_is_no_terminal(void **state)
{
    (void)state;
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
    gb_tape_free(m.t);
}

static bool until(void *user, const gb_fit_point *point)
{
    return point->step < *(const uint64_t *)user;
}

static void the_callback_ends_it(void **state)
{
    (void)state;
    static model m;
    uint64_t most = 40;
    make(&m);
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(), .data = m.data, .steps = 1000, .window = 20,
                                   .each = until, .user = &most);
    assert_int_equal(r.end, GB_FIT_CALLBACK);
    assert_int_equal(r.steps, 40);
    gb_tape_free(m.t);
}

/* ---- when it ends ---- */

/* A sequence that falls from window to window by what the rule is to see is told to have ended in a share of at most
 * false_stop of 20,000 cases, and 6 standard errors of that; one that stays in at least half of them. The variances of
 * windows of 20 are estimates, so that the share is somewhat above that of a known variance. */
static double share_told(double fall, gb_plateau_options options)
{
    enum { CASES = 20000 };
    gb_tape *t = gb_tape_new(.seed = 11, .threads = 1);
    const size_t each = (size_t)(2 * options.window);
    double *const noise = malloc(CASES * each * sizeof *noise);
    assert_int_equal(gb_read(gb_normal_noise(gb_stream(t, "noise"), gb_shape(CASES, (int64_t)each), 0), noise,
                             CASES * each),
                     GB_OK);
    size_t told = 0;
    for (size_t c = 0; c < CASES; c++) {
        gb_plateau p = {.options = options};
        bool reached = false;
        for (size_t i = 0; i < each; i++)
            reached = gb_plateau_reached(&p, noise[c * each + i] - (i >= each / 2 ? fall : 0));
        told += reached;
    }
    free(noise);
    gb_tape_free(t);
    return (double)told / CASES;
}

static void false_stops_are_as_rare_as_stated(void **state)
{
    (void)state;
    const double rates[] = {0.01, 0.05, 0.2}, z[] = {2.3263, 1.6449, 0.8416};
    const int64_t window = 200;
    const double error = sqrt(2.0 / (double)window); /* of a difference of means */
    for (size_t i = 0; i < 3; i++) {
        const double slack = 6 * sqrt(rates[i] / 20000) + 0.05 * rates[i];
        const gb_plateau_options beyond_noise = {.window = window, .false_stop = rates[i]};
        assert_true(share_told(z[i] * error, beyond_noise) < rates[i] + slack);
        assert_true(share_told(0, beyond_noise) > 0.5 - 6 * 0.5 / sqrt(20000));
        const gb_plateau_options named = {.window = window, .false_stop = rates[i], .improvement = 0.5};
        assert_true(share_told(0.5, named) < rates[i] + slack);
        assert_true(share_told(0.5, named) > rates[i] - slack);
        assert_true(share_told(0, named) > 0.5);
    }
}

/* Windows of 4 numbers: falling, with one that is infinite, as low as before, lower, and no lower. */
static void a_window_with_an_infinite_number_tells_nothing(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        const double infinite = sign * (double)INFINITY, level[] = {5, 4, infinite, 4, 3, 3.5};
        gb_plateau p = {.options = {.window = 4}};
        for (int i = 0; i < 24; i++) {
            const double near = level[i / 4], value = isinf(near) && i % 2 ? 4 : near;
            assert_int_equal(gb_plateau_reached(&p, value), i == 23);
        }
    }
}

static void training_ends_where_it_no_longer_improves(void **state)
{
    (void)state;
    static model m;
    make(&m);
    const gb_fit_result r =
        gb_fit(m.e, .optimiser = gb_adam(.lr = 0.02), .data = m.data, .steps = 100000, .plateau = true);
    assert_int_equal(r.end, GB_FIT_PLATEAU);
    assert_true(r.steps > 100 && r.steps < 20000);
    assert_true(fabs(location(&m) - 2) < 0.3);
    gb_tape_free(m.t);
}

/* ---- going on ---- */

enum { TOTAL = 200, WIDTH = 25 };

static gb_fit_options resumable(model *m, const char *path)
{
    return (gb_fit_options){.size = sizeof(gb_fit_options),
                            .elbo = m->e,
                            .optimiser = gb_adam(.lr = 0.02),
                            .data = m->data,
                            .steps = TOTAL,
                            .window = WIDTH,
                            .plateau = true,
                            .improvement = 1e-9,
                            .checkpoint = path,
                            .checkpoint_every = 1,
                            .resume = true};
}

static bool same_state(const model *a, const model *b)
{
    static const char *const names[] = {"a.location", "a.raw_scale", "b.location", "b.raw_scale",
                                        "a.location.adam.second"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (gb_value(gb_variable_named(a->t, names[i])) != gb_value(gb_variable_named(b->t, names[i])))
            return false;
    return true;
}

/* A child is killed while it trains; this process goes on from the file that it left. */
static void a_run_that_was_killed_goes_on_bit_for_bit(void **state)
{
    (void)state;
    static model whole, rest;
    char path[] = "/tmp/grebe-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    make(&whole);
    gb_fit_options options = resumable(&whole, NULL);
    const gb_fit_result once = gb_fit_with(options);
    assert_int_equal(once.status, GB_OK);
    for (int kill_after = 1; kill_after <= 5; kill_after++) {
        const pid_t child = fork();
        if (child == 0) {
            static model m;
            make(&m);
            gb_fit_with(resumable(&m, path));
            _exit(0);
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000L * kill_after}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    make(&rest);
    options = resumable(&rest, path);
    const gb_fit_result last = gb_fit_with(options);
    assert_int_equal(last.status, GB_OK);
    assert_int_equal(last.before + last.steps, once.steps);
    assert_int_equal(last.end, once.end);
    assert_true(same_state(&whole, &rest));
    const gb_fit_result none = gb_fit_with(resumable(&rest, path)); /* all is done already */
    assert_true(none.status == GB_OK && none.steps == 0);
    unlink(path);
    gb_tape_free(whole.t);
    gb_tape_free(rest.t);
}

static gb_fit_result with_warm_up(model *m, const char *path, int64_t steps)
{
    record_with(m, gb_tape_new(.seed = 1, .threads = 1), gb_warm_up(60, gb_steady()));
    gb_fit_options options = resumable(m, path);
    options.improvement = 1e9; /* it ends where two windows can be compared */
    options.steps = steps;
    return gb_fit_with(options);
}

/* KL is let in during 60 steps: it is interrupted while the weight moves, in the window in which it did, and after that. */
static void a_weight_of_kl_goes_on_bit_for_bit(void **state)
{
    (void)state;
    static const int64_t stops[] = {32, 62, 80};
    static model whole, part, rest;
    char path[] = "/tmp/grebe-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    const gb_fit_result once = with_warm_up(&whole, NULL, TOTAL);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        unlink(path);
        assert_int_equal(with_warm_up(&part, path, stops[i]).status, GB_OK);
        const gb_fit_result last = with_warm_up(&rest, path, TOTAL);
        assert_int_equal(last.before, stops[i]);
        assert_int_equal(last.before + last.steps, once.steps);
        assert_int_equal(last.end, once.end);
        assert_true(same_state(&whole, &rest) && !same_state(&whole, &part));
        assert_true(gb_value(gb_variable_named(rest.t, "kl_schedule.step")) == (double)once.steps);
        gb_tape_free(part.t);
        gb_tape_free(rest.t);
    }
    unlink(path);
    gb_tape_free(whole.t);
}

/* Where no improvement would be enough, training ends with the second window: of those with one weight of KL. */
static void windows_in_which_the_weight_of_kl_moved_are_not_compared(void **state)
{
    (void)state;
    static const double warm_up[] = {0, 1, 60, 75};
    static const uint64_t ends[] = {50, 50, 125, 125};
    for (int i = 0; i < 4; i++) {
        static model m;
        record_with(&m, gb_tape_new(.seed = 1, .threads = 1), gb_warm_up(warm_up[i], gb_steady()));
        gb_fit_options options = resumable(&m, NULL);
        options.improvement = 1e9;
        const gb_fit_result r = gb_fit_with(options);
        assert_int_equal(r.end, GB_FIT_PLATEAU);
        assert_int_equal(r.steps, ends[i]);
        gb_tape_free(m.t);
    }
}

static void a_checkpoint_that_cannot_be_written_ends_it(void **state)
{
    (void)state;
    static model m;
    make(&m);
    const gb_fit_result r = gb_fit_with(resumable(&m, "/nonexistent/folder/file"));
    assert_int_equal(r.end, GB_FIT_ERROR);
    assert_int_equal(r.steps, 1);
    assert_refused(m.t, GB_ESYSTEM, "/nonexistent/folder/file");
    gb_tape_free(m.t);
}

/* ---- what goes wrong ---- */

static void data_that_are_not_finite_stop_it_and_the_last_good_state_stays(void **state)
{
    (void)state;
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
    gb_tape_free(m.t);
    gb_tape_free(good.t);
}

static void what_has_no_end_is_refused(void **state)
{
    (void)state;
    static model m;
    make(&m);
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam()).status, GB_EARGUMENT);
    assert_refused(m.t, GB_EARGUMENT, "steps, epochs or .plateau = true must say when it ends");
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .epochs = 1).status, GB_EARGUMENT);
    assert_refused(m.t, GB_EARGUMENT, "fit: epochs are of .data");
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .plateau = true, .window = 1).status, GB_EARGUMENT);
    assert_refused(m.t, GB_EARGUMENT, "fit: a window must have at least 2 numbers");
    assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .plateau = true, .false_stop = 0.7).status,
                     GB_EARGUMENT);
    assert_refused(m.t, GB_EARGUMENT, "fit: the probability of a false stop must be below 1/2");
    assert_int_equal(gb_fit(m.e, .steps = 1).status, GB_EARGUMENT);
    assert_refused(m.t, GB_EARGUMENT, "no optimiser was given");
    assert_int_equal(gb_fit(NULL, .steps = 1).status, GB_EARGUMENT);
    gb_tape_free(m.t);
}

/* ---- several seeds ---- */

typedef struct several {
    model m;
    double location[3];
    size_t count;
} several;

static bool make_one(void *user, gb_tape *tape, gb_fit_options *options)
{
    several *const s = user;
    record(&s->m, tape);
    options->elbo = s->m.e;
    options->data = s->m.data;
    options->optimiser = gb_adam(.lr = 0.02);
    options->steps = 50;
    return gb_error(tape) == GB_OK;
}

static void keep_one(void *user, size_t number, gb_tape *tape, const gb_fit_result *result)
{
    several *const s = user;
    (void)tape;
    assert_int_equal(result->steps, 50);
    s->location[number] = location(&s->m);
    s->count++;
}

static void seeds_are_fitted_one_by_one(void **state)
{
    (void)state;
    static several s;
    const uint64_t seeds[] = {1, 2, 1};
    assert_int_equal(gb_fit_each_seed((gb_fit_seeds){.seeds = seeds,
                                                     .count = 3,
                                                     .tape = {.threads = 1},
                                                     .make = make_one,
                                                     .done = keep_one,
                                                     .user = &s}),
                     GB_OK);
    assert_int_equal(s.count, 3);
    assert_true(s.location[0] == s.location[2] && s.location[0] != s.location[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_loop_that_one_would_write),
        cmocka_unit_test(a_second_call_goes_on_where_the_first_one_ended),
        cmocka_unit_test(whichever_of_steps_and_epochs_comes_first_ends_it),
        cmocka_unit_test(the_history_has_the_mean_of_each_window_and_its_error),
        cmocka_unit_test(progress_is_lines_where_there_is_no_terminal),
        cmocka_unit_test(the_callback_ends_it),
        cmocka_unit_test(false_stops_are_as_rare_as_stated),
        cmocka_unit_test(a_window_with_an_infinite_number_tells_nothing),
        cmocka_unit_test(training_ends_where_it_no_longer_improves),
        cmocka_unit_test(a_run_that_was_killed_goes_on_bit_for_bit),
        cmocka_unit_test(a_weight_of_kl_goes_on_bit_for_bit),
        cmocka_unit_test(windows_in_which_the_weight_of_kl_moved_are_not_compared),
        cmocka_unit_test(a_checkpoint_that_cannot_be_written_ends_it),
        cmocka_unit_test(data_that_are_not_finite_stop_it_and_the_last_good_state_stays),
        cmocka_unit_test(what_has_no_end_is_refused),
        cmocka_unit_test(seeds_are_fitted_one_by_one),
    };
    return cmocka_run_group_tests_name("models/fit", tests, NULL, NULL);
}
