/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trainings that go on from a file: as if they had never stopped, or not at all. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "support/close.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "models/checkpoint.h"
#include "models/line.h"
#include "models/scratch.h"
#include "ops/array.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

enum { TOTAL = 200, WIDTH = 25 };

static gb_fit_result fit_by(const model *m, gb_fit_options options)
{
    return gb_fit_with(m->e, &options);
}

static gb_fit_options resumable(model *m, const char *path)
{
    return (gb_fit_options){.size = sizeof(gb_fit_options),
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
TEST(a_run_that_was_killed_goes_on_bit_for_bit)
{
    static model whole, rest;
    const scratch at = scratch_new();
    const char *const path = at.path;
    make(&whole);
    gb_fit_options options = resumable(&whole, NULL);
    options.resume = false;
    options.checkpoint_every = 0;
    const gb_fit_result once = fit_by(&whole, options);
    assert_int_equal(once.status, GB_OK);
    for (int kill_after = 1; kill_after <= 5; kill_after++) {
        const pid_t child = fork();
        if (child == 0) {
            static model m;
            make(&m);
            fit_by(&m, resumable(&m, path));
            _exit(0);
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000L * kill_after}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    make(&rest);
    options = resumable(&rest, path);
    const gb_fit_result last = fit_by(&rest, options);
    assert_int_equal(last.status, GB_OK);
    assert_int_equal(last.before + last.steps, once.steps);
    assert_int_equal(last.end, once.end);
    assert_true(same_state(&whole, &rest));
    const gb_fit_result none = fit_by(&rest, resumable(&rest, path)); /* all is done already */
    assert_true(none.status == GB_OK && none.steps == 0);
    scratch_end(&at);
}

TEST(a_checkpoint_that_cannot_be_written_is_found_out_before_the_first_step)
{
    static model m;
    make(&m);
    const gb_fit_result r = fit_by(&m, resumable(&m, "/nonexistent/folder/file"));
    assert_int_equal(r.end, GB_FIT_ERROR);
    assert_int_equal(r.steps, 0);
    assert_rejected(m.t, GB_ESYSTEM,
                    "/nonexistent/folder/file: it cannot be written: its folder does not exist");
}

/* ---- what may differ from call to call ---- */

static gb_fit_options plain(model *m, const char *path, int64_t steps)
{
    return (gb_fit_options){.size = sizeof(gb_fit_options),
                            .optimiser = gb_adam(.lr = 0.02),
                            .data = m->data,
                            .steps = steps,
                            .window = WIDTH,
                            .checkpoint = path,
                            .resume = true};
}

/* A gradient's norm is looked at, and has no part in what is trained. */
TEST(what_is_looked_at_may_change)
{
    static model whole, rest;
    FILE *const file = tmpfile();
    for (int first = 0; first < 2; first++) {
        const scratch at = scratch_new();
        make(&whole);
        gb_fit(whole.e, .optimiser = gb_adam(.lr = 0.02), .data = whole.data, .steps = 90);
        for (int call = 0; call < 3; call++) {
            make(&rest);
            gb_fit_options o = plain(&rest, at.path, 30 * (call + 1));
            o.progress = call % 2 == first ? file : NULL;
            o.gradient_norm = call == 2;
            const gb_fit_result r = fit_by(&rest, o);
            assert_fine(rest.t);
            assert_int_equal(r.before, 30 * call);
        }
        assert_true(same_state(&whole, &rest));
        scratch_end(&at);
    }
    fclose(file);
}

TEST(a_window_that_was_begun_goes_on)
{
    static model whole, part, rest;
    const scratch at = scratch_new();
    make(&whole);
    make(&part);
    make(&rest);
    gb_fit_options options = plain(&whole, NULL, 200000);
    options.plateau = true;
    options.false_stop = 0.1;
    options.improvement = 2;
    options.resume = false;
    const gb_fit_result once = fit_by(&whole, options);
    assert_int_equal(once.end, GB_FIT_PLATEAU);
    options = plain(&part, at.path, WIDTH + 10);
    options.plateau = true;
    assert_int_equal(fit_by(&part, options).last.step, WIDTH + 10);
    options = plain(&rest, at.path, 200000);
    options.plateau = true;
    options.false_stop = 0.1;
    options.improvement = 2;
    const gb_fit_result last = fit_by(&rest, options);
    assert_int_equal(last.before, WIDTH + 10);
    assert_int_equal(last.point[0].step, 2 * WIDTH);
    assert_int_equal(last.end, GB_FIT_PLATEAU);
    assert_int_equal(last.last.step, once.last.step);
    assert_true(last.last.elbo == once.last.elbo && last.point[0].elbo == once.point[1].elbo);
    assert_true(same_state(&whole, &rest));
    scratch_end(&at);
}

TEST(another_window_begins_afresh)
{
    static model m;
    const scratch at = scratch_new();
    make(&m);
    fit_by(&m, plain(&m, at.path, WIDTH + 10));
    make(&m);
    gb_fit_options o = plain(&m, at.path, 135);
    o.window = 5;
    const gb_fit_result r = fit_by(&m, o);
    assert_int_equal(r.points, (135 - WIDTH - 10) / 5);
    assert_int_equal(r.point[0].step, WIDTH + 15);
    scratch_end(&at);
}

/* Rosenbrock's valley by L-BFGS: a file has an accepted point, and what is
 * needed to go on from the one on trial. */
TEST(a_search_goes_on_too)
{
    double at_end[2][2];
    const scratch at = scratch_new();
    const int64_t ends[2][4] = {{30}, {7, 12, 13, 30}};
    for (int k = 0; k < 2; k++)
        for (int call = 0; call < (k == 0 ? 1 : 4); call++) {
            gb_tape *const tape = test_tape();
            gb_elbo *e = gb_elbo_new(tape, .data_size = 1);
            const gb_node x =
                gb_latent(e, "x", gb_point(gb_shape(2), .location = -1.2), gb_no_prior, gb_pathwise());
            const gb_node a = gb_slice(x, 0, 0, 1), b = gb_slice(x, 0, 1, 2);
            const gb_node off = gb_scale(gb_square(gb_sub(b, gb_square(a))), 100);
            gb_factor(e, "f", gb_neg(gb_sum(gb_add(off, gb_square(gb_shift(gb_neg(a), 1))))));
            const gb_fit_result r = gb_fit(e, .optimiser = gb_lbfgs(), .steps = ends[k][call],
                                           .checkpoint = k ? at.path : NULL, .resume = k > 0);
            assert_fine(tape);
            assert_int_equal(r.last.step, ends[k][call]);
            gb_read(x, at_end[k], 2);
        }
    assert_true(at_end[0][0] == at_end[1][0] && at_end[0][1] == at_end[1][1]);
    scratch_end(&at);
}

/* ---- one that has ended ---- */

TEST(one_that_ended_ends_at_once)
{
    static model m;
    const scratch at = scratch_new();
    make(&m);
    gb_fit_options o = plain(&m, at.path, 100000);
    o.plateau = true;
    o.improvement = 5;
    const gb_fit_result first = fit_by(&m, o);
    assert_int_equal(first.end, GB_FIT_PLATEAU);
    for (int i = 0; i < 2; i++) {
        make(&m);
        o = plain(&m, at.path, (int64_t)first.steps + 50);
        o.plateau = true;
        o.improvement = i == 0 ? 5 : 1;
        const gb_fit_result again = fit_by(&m, o);
        assert_int_equal(again.end, i == 0 ? GB_FIT_PLATEAU : GB_FIT_STEPS);
        assert_int_equal(again.steps, i == 0 ? 0 : 50);
        assert_true(i > 0 || again.last.elbo == first.last.elbo);
        assert_int_equal(again.last.step, again.before + again.steps);
    }
    scratch_end(&at);
}

TEST(a_callback_is_asked_again)
{
    static model m;
    const scratch at = scratch_new();
    const uint64_t most[] = {50, 50, 100}, steps[] = {50, 0, 50};
    for (int i = 0; i < 3; i++) {
        make(&m);
        gb_fit_options o = plain(&m, at.path, 1000);
        uint64_t until_step = most[i];
        o.each = until;
        o.user = &until_step;
        const gb_fit_result r = fit_by(&m, o);
        assert_int_equal(r.end, GB_FIT_CALLBACK);
        assert_int_equal(r.steps, steps[i]);
        assert_int_equal(r.last.step, most[i]);
    }
    scratch_end(&at);
}

/* In the middle of a window and of an epoch. What goes on equals what did not stop, bit for bit. */
TEST(one_that_was_stopped_goes_on)
{
    static model whole, m;
    const scratch at = scratch_new(), other = scratch_new();
    make(&whole);
    fit_by(&whole, plain(&whole, other.path, 120));
    for (int i = 0; i < 2; i++) {
        volatile int stop = i == 0;
        make(&m);
        gb_fit_options o = plain(&m, at.path, 120);
        o.stop = &stop;
        const gb_fit_result r = fit_by(&m, o);
        assert_int_equal(r.end, i == 0 ? GB_FIT_CALLBACK : GB_FIT_STEPS);
        assert_int_equal(r.steps, i == 0 ? 1 : 119);
    }
    assert_true(location(&m) == location(&whole));
    scratch_end(&at);
    scratch_end(&other);
}

/* ---- what is rejected ---- */

/* Nothing of the model moved, and it trains on as one that never saw the file. */
static void assert_untouched(model *m)
{
    static model fresh;
    gb_forgive(m->t);
    assert_true(location(m) == 0);
    make(&fresh);
    m->data = gb_batches_new(m->t, .rows = N, .batch = BATCH, .name = "afresh",
                             .columns = GB_COLUMNS({m->x, gb_doubles(m->xs)}, {m->y, gb_doubles(m->ys)}));
    fresh.data = gb_batches_new(
        fresh.t, .rows = N, .batch = BATCH, .name = "afresh",
        .columns = GB_COLUMNS({fresh.x, gb_doubles(fresh.xs)}, {fresh.y, gb_doubles(fresh.ys)}));
    assert_int_equal(gb_fit(m->e, .optimiser = gb_adam(.lr = 0.02), .data = m->data, .steps = 5).last.step,
                     5);
    gb_fit(fresh.e, .optimiser = gb_adam(.lr = 0.02), .data = fresh.data, .steps = 5);
    assert_true(same_state(m, &fresh));
}

TEST(other_batches_are_rejected_and_nothing_changes)
{
    static model m;
    const scratch at = scratch_new();
    make(&m);
    fit_by(&m, plain(&m, at.path, 5));
    for (int i = 0; i < 5; i++) {
        make(&m);
        gb_batches *const all[] = {
            gb_batches_new(m.t, .rows = N, .batch = BATCH / 2, .name = "1",
                           .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}, {m.y, gb_doubles(m.ys)})),
            gb_batches_new(m.t, .rows = N, .batch = BATCH, .in_order = true,
                           .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}, {m.y, gb_doubles(m.ys)})),
            gb_batches_new(m.t, .rows = N, .batch = BATCH, .name = "2",
                           .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}, {m.y, gb_doubles(m.ys)})),
            gb_batches_new(m.t, .rows = N - 1, .batch = BATCH, .name = "3",
                           .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}, {m.y, gb_doubles(m.ys)})),
            NULL};
        gb_feed(m.x, m.xs, N);
        gb_feed(m.y, m.ys, N);
        gb_fit_options o = plain(&m, at.path, 50);
        o.data = all[i];
        o.part_of_data = true; /* of 39 rows too */
        const gb_fit_result r = fit_by(&m, o);
        assert_int_equal(r.status, GB_EFILE);
        assert_int_equal(gb_program_step(r.program), 0);
        assert_non_null(strstr(gb_error_text(m.t), "was saved with 40 rows in batches of 16"));
        assert_non_null(strstr(gb_error_text(m.t), "or begin without .resume"));
        assert_untouched(&m);
    }
    scratch_end(&at);
}

/* Some rows, in windows. */
static void choose(model *m, int64_t first, int64_t window)
{
    int64_t rows[30];
    for (int i = 0; i < 30; i++)
        rows[i] = first + i;
    make(m);
    m->data = gb_batches_new(m->t, .rows = N, .batch = 7, .name = "some", .window = window,
                             .only = gb_rows_of(30, rows),
                             .columns = GB_COLUMNS({m->x, gb_doubles(m->xs)}, {m->y, gb_doubles(m->ys)}));
}

static gb_fit_options of_part(model *m, const char *path, int64_t epochs)
{
    gb_fit_options o = plain(m, path, 0);
    o.epochs = epochs;
    o.plateau = true;
    o.improvement = 1e-9;
    o.part_of_data = true;
    return o;
}

TEST(chosen_rows_in_windows_go_on_bit_for_bit)
{
    static model whole, rest;
    const scratch at = scratch_new();
    choose(&whole, 4, 8);
    gb_fit_options o = of_part(&whole, NULL, 12);
    o.resume = false;
    const gb_fit_result once = fit_by(&whole, o);
    assert_int_equal(once.last.step, 12 * 5);
    for (int64_t steps = 1; steps < 60; steps += 9) {
        choose(&rest, 4, 8);
        o = of_part(&rest, at.path, 12);
        o.steps = steps;
        assert_int_equal(fit_by(&rest, o).last.step, steps);
    }
    choose(&rest, 4, 8);
    const gb_fit_result last = fit_by(&rest, of_part(&rest, at.path, 12));
    assert_int_equal(last.last.step, once.last.step);
    assert_int_equal(last.last.epoch, 12);
    assert_true(same_state(&whole, &rest));
    for (int i = 0; i < 3; i++) {
        choose(&rest, i == 0 ? 3 : 4, i == 1 ? 9 : i == 2 ? 0 : 8);
        const gb_fit_result r = fit_by(&rest, of_part(&rest, at.path, 20));
        assert_int_equal(r.status, GB_EFILE);
        assert_non_null(strstr(gb_error_text(rest.t),
                               "30 rows in batches of 7, other rows or in another order: "
                               "resume with the same .rows, .batch, .in_order, .name"));
        assert_untouched(&rest);
    }
    scratch_end(&at);
}

/* A file whose part of gb_fit's is another's: 8 bytes of it are all ones, wherever they are. */
TEST(a_part_that_is_damaged_is_rejected_and_nothing_changes)
{
    static model m;
    static unsigned char bytes[4096];
    size_t length = 0, rejected = 0;
    const scratch at = scratch_new();
    make(&m);
    gb_program *train = fit_by(&m, plain(&m, at.path, 30)).program;
    gb_checkpoint_part part = {.name = "fit", .data = bytes, .bytes = sizeof bytes, .found = &length};
    gb_checkpoint c = {.size = sizeof c,
                       .tape = m.t,
                       .path = at.path,
                       .programs = 1,
                       .program = &train,
                       .parts = 1,
                       .part = &part};
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    part.bytes = length;
    for (size_t i = 0; i + 8 <= length; i += 8) {
        unsigned char kept[8];
        static model other;
        memcpy(kept, bytes + i, 8);
        memset(bytes + i, 255, 8);
        assert_int_equal(gb_checkpoint_save(&c), GB_OK);
        memcpy(bytes + i, kept, 8);
        make(&other);
        const gb_fit_result r = fit_by(&other, plain(&other, at.path, 40));
        if (r.status != GB_OK) {
            rejected++;
            assert_int_equal(r.status, GB_EFILE);
            assert_non_null(strstr(gb_error_text(other.t), "checkpoint "));
            gb_forgive(other.t);
            assert_true(location(&other) == 0 && gb_program_step(r.program) == 0);
        }
    }
    assert_true(rejected >=
                12); /* the whole numbers; a block of the plateau that has no windows harms nothing */
    scratch_end(&at);
}

/* Numbers of the part by their place (docs/checkpoint-format.md), as whole numbers or as reals. */
enum {
    STEPS = 1,
    WINDOW_STEPS = 8,
    WINDOW_COUNT,
    MEAN,
    SQUARES,
    IMPROVEMENT,
    FALSE_STOP,
    BLOCK,
    FILLED,
    FULL,
    COMPARISONS,
    BLOCK_MEAN,
    BLOCK_VARIANCE,
    LAST_STEP = BLOCK_MEAN + 128,
    MOVED = LAST_STEP + 6,
    WEIGHT,
    VALIDATION_WINDOWS = WEIGHT + 3,
    WORSE,
    IS_BEST,
    BEST_STEP,
    BEST_ERROR = BEST_STEP + 6
};

typedef struct damage {
    const char *name;
    int place;
    uint64_t whole; /* 0: the real */
    double real;
} damage;

static const damage damages[] = {{"mean_nan", MEAN, .real = NAN},
                                 {"mean_infinite", MEAN, .real = INFINITY},
                                 {"mean_infinite_below", MEAN, .real = -INFINITY},
                                 {"squares_negative", SQUARES, .real = -1},
                                 {"squares_nan", SQUARES, .real = NAN},
                                 {"improvement_negative", IMPROVEMENT, .real = -1},
                                 {"improvement_nan", IMPROVEMENT, .real = NAN},
                                 {"false_stop_negative", FALSE_STOP, .real = -1},
                                 {"false_stop_nan", FALSE_STOP, .real = NAN},
                                 {"false_stop_infinite", FALSE_STOP, .real = INFINITY},
                                 {"steps_beyond_the_program", STEPS, .whole = INT64_MAX},
                                 {"one_step_too_many", STEPS, .whole = 41},
                                 {"last_step_beyond_the_program", LAST_STEP, .whole = 41},
                                 {"block_of_7", BLOCK, .whole = 7},
                                 {"block_of_65", BLOCK, .whole = 65},
                                 {"block_of_2_without_32_blocks", BLOCK, .whole = 2},
                                 {"block_of_2_to_the_32", BLOCK, .whole = (uint64_t)1 << 32},
                                 {"more_windows_than_steps", FULL, .whole = 60},
                                 {"block_that_is_full", FILLED, .whole = 1},
                                 {"more_comparisons_than_windows", COMPARISONS, .whole = 99},
                                 {"block_mean_nan", BLOCK_MEAN, .real = NAN},
                                 {"block_variance_negative", BLOCK_VARIANCE, .real = -1},
                                 {"moved_twice", MOVED, .whole = 2},
                                 {"weight_nan", WEIGHT, .real = NAN},
                                 {"windows_beyond_the_steps", VALIDATION_WINDOWS, .whole = 41},
                                 {"more_validations_than_steps", WORSE, .whole = 41},
                                 {"a_best_that_there_is_not", IS_BEST, .whole = 1},
                                 {"a_best_after_the_last", BEST_STEP, .whole = 41},
                                 {"version_3", 0, .whole = 3},
                                 {"version_1_with_more", 0, .whole = 1}};

static gb_batches *held_out(const model *m)
{
    return gb_batches_new(m->t, .rows = 5,
                          .columns = GB_COLUMNS({m->x, gb_doubles(m->xs)}, {m->y, gb_doubles(m->ys)}));
}

TEST_EACH(numbers_that_no_training_writes_are_rejected, damages)
{
    static model m, other;
    static unsigned char bytes[4096];
    const damage *const done = row;
    size_t length = 0;
    const scratch at = scratch_new();
    make(&m);
    gb_fit_options options = plain(&m, at.path, 40);
    options.window = 3;
    options.plateau = true;
    options.improvement = 1e-9;
    options.validate = held_out(&m);
    gb_program *train = fit_by(&m, options).program;
    gb_checkpoint_part part = {.name = "fit", .data = bytes, .bytes = sizeof bytes, .found = &length};
    gb_checkpoint c = {.size = sizeof c,
                       .tape = m.t,
                       .path = at.path,
                       .programs = 1,
                       .program = &train,
                       .parts = 1,
                       .part = &part};
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_int_equal(length, 8 * (BEST_ERROR + 1));
    part.bytes = length;
    for (int damaged = 0; damaged < 2; damaged++) {
        if (damaged)
            memcpy(bytes + 8 * done->place, done->whole ? (const void *)&done->whole : &done->real, 8);
        assert_int_equal(gb_checkpoint_save(&c), GB_OK);
        make(&other);
        options.data = other.data;
        options.validate = held_out(&other);
        const gb_fit_result r = fit_by(&other, options);
        assert_int_equal(r.status, damaged ? GB_EFILE : GB_OK);
        if (damaged) {
            assert_rejected(other.t, GB_EFILE, "the windows and data in checkpoint");
            assert_true(location(&other) == 0 && gb_program_step(r.program) == 0);
        }
    }
    scratch_end(&at);
}

/* No batch of 16 begins at row 3 of 40: the file is wrong, and not a call. */
TEST(a_row_at_which_no_batch_begins_is_rejected_with_the_name_of_the_file)
{
    static model m, other;
    static unsigned char bytes[4096];
    enum { AT_ROW = 6 * 8 };
    size_t length = 0;
    const scratch at = scratch_new();
    make(&m);
    gb_program *train = fit_by(&m, plain(&m, at.path, 30)).program;
    gb_checkpoint_part part = {.name = "fit", .data = bytes, .bytes = sizeof bytes, .found = &length};
    gb_checkpoint c = {.size = sizeof c,
                       .tape = m.t,
                       .path = at.path,
                       .programs = 1,
                       .program = &train,
                       .parts = 1,
                       .part = &part};
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_int_equal(length, 1232); /* docs/checkpoint-format.md */
    part.bytes = length;
    memset(bytes + AT_ROW, 0, 8);
    bytes[AT_ROW] = 3;
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    make(&other);
    assert_int_equal(fit_by(&other, plain(&other, at.path, 40)).status, GB_EFILE);
    assert_non_null(strstr(gb_error_text(other.t), at.path));
    assert_untouched(&other);
    scratch_end(&at);
}

/* Wherever memory ends, the training says so, and a file that is there stays whole. */
TEST(without_memory_it_ends_in_words)
{
    static model m;
    const scratch at = scratch_new();
    make(&m);
    fit_by(&m, plain(&m, at.path, 30));
    size_t failures = 0;
    for (bool done = false; !done; failures++) {
        counted_memory memory = {0};
        record(&m, gb_tape_new(.seed = 1, .threads = 1, .memory = counted(&memory)));
        memory.fail_at = memory.asked + failures + 1;
        gb_fit_options o = plain(&m, at.path, 30 + 3 * WIDTH);
        o.checkpoint_every = 1000;
        o.gradient_norm = true;
        const gb_fit_result r = fit_by(&m, o);
        done = memory.asked < memory.fail_at;
        assert_int_equal(r.status, done ? GB_OK : GB_ENOMEM);
        assert_true(done == (r.end != GB_FIT_ERROR));
        gb_tape_free(m.t);
        assert_int_equal(memory.outstanding, 0);
    }
    assert_true(failures > 20);
    scratch_end(&at);
}

typedef struct watch {
    const char *path;
    uint64_t step;
    char saved[32]; /* '1' for steps after which the training was saved */
} watch;

/* Called before the step that it follows is saved: it sees what the step before left. */
static bool look_and_remove(void *user, const gb_fit_point *point)
{
    watch *const w = user;
    (void)point;
    w->saved[w->step++] = access(w->path, F_OK) == 0 ? '1' : '0';
    remove(w->path);
    return true;
}

TEST(a_checkpoint_is_saved_after_every_third_step)
{
    static model m;
    const scratch at = scratch_new();
    watch w = {.path = at.path};
    make(&m);
    gb_fit_options o = plain(&m, at.path, 8);
    o.window = 1;
    o.checkpoint_every = 3;
    o.each = look_and_remove;
    o.user = &w;
    assert_int_equal(fit_by(&m, o).status, GB_OK);
    assert_string_equal(w.saved, "00010010");
    scratch_end(&at);
}

/* ---- predicting ---- */

TEST(a_program_that_only_predicts_loads_the_model_alone)
{
    static model trained, predicts;
    const scratch at = scratch_new();
    make(&trained);
    make(&predicts);
    fit_by(&trained, plain(&trained, at.path, 30));
    gb_checkpoint c = {.size = sizeof c, .tape = predicts.t, .path = at.path};
    assert_int_equal(gb_checkpoint_load(&c), GB_EFILE);
    assert_rejected(predicts.t, GB_EFILE, "(.subset = true ignores such variables");
    assert_true(location(&predicts) == 0);
    c.subset = true;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_true(location(&predicts) == location(&trained));
    assert_true(gb_value(gb_variable_named(predicts.t, "b.raw_scale")) ==
                gb_value(gb_variable_named(trained.t, "b.raw_scale")));
    scratch_end(&at);
}

/* ---- a weight of KL that moves ---- */

/* It ends where windows can be compared for the first time. */
static gb_fit_result with_warm_up(model *m, double steps_of_warm_up, const char *path, int64_t steps)
{
    record_with(m, test_tape(.seed = 1), gb_warm_up(steps_of_warm_up, gb_steady()));
    gb_fit_options options = resumable(m, path);
    options.improvement = 1e9;
    options.window = 5;
    options.steps = steps;
    if (!path) {
        options.resume = false;
        options.checkpoint_every = 0;
    }
    return fit_by(m, options);
}

TEST(windows_in_which_the_weight_of_kl_moved_are_not_compared)
{
    static const double warm_up[] = {0, 1, 60, 63};
    static const uint64_t ends[] = {80, 80, 140, 145};
    for (int i = 0; i < 4; i++) {
        static model m;
        const gb_fit_result r = with_warm_up(&m, warm_up[i], NULL, TOTAL);
        assert_int_equal(r.end, GB_FIT_PLATEAU);
        assert_int_equal(r.steps, ends[i]);
    }
}

/* It is interrupted while the weight moves, in the window in which it stops moving, and after that. */
TEST(a_weight_of_kl_goes_on_bit_for_bit)
{
    static const int64_t stops[] = {32, 62, 64, 80};
    static model whole, part, rest;
    const scratch at = scratch_new();
    const gb_fit_result once = with_warm_up(&whole, 63, NULL, TOTAL);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        unlink(at.path);
        assert_int_equal(with_warm_up(&part, 63, at.path, stops[i]).status, GB_OK);
        const gb_fit_result last = with_warm_up(&rest, 63, at.path, TOTAL);
        assert_int_equal(last.before, stops[i]);
        assert_int_equal(last.before + last.steps, once.steps);
        assert_int_equal(last.end, once.end);
        assert_true(same_state(&whole, &rest) && !same_state(&whole, &part));
        assert_true(gb_value(gb_variable_named(rest.t, "kl_schedule.step")) == (double)once.steps);
    }
    scratch_end(&at);
}
