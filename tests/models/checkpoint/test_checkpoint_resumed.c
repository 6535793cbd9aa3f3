/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training that was stopped, by its own will, by SIGTERM or by SIGKILL at any point, and goes on from its
 * last checkpoint is bit for bit the one that was not. GB_KILLS: how many times it is killed (5). */
#include "support/close.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "core/native.h"
#include "models/scratch.h"
#include "models/trained.h"

static void fails_if_different(const training *is, const training *should, const char *when)
{
    const char *const what = training_differs(is, should);
    if (what)
        fail_msg("%s: %s differs from the run that was not interrupted", when, what);
}

static void goes_on_the_same_with(gb_real real)
{
    const uint64_t stops[] = {0, 1, 2, 17, STEPS - 1, STEPS};
    const scratch dir = scratch_new();
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        char when[64];
        training whole, part;
        snprintf(when, sizeof when, "stopped after step %llu", (unsigned long long)stops[i]);
        training_begin(&whole, real, 0.2, dir.path);
        assert_int_equal(training_until(&whole, stops[i]), GB_OK);
        assert_int_equal(gb_checkpoint_save(&whole.c), GB_OK);
        assert_int_equal(training_until(&whole, STEPS), GB_OK);
        training_begin(&part, real, -3, dir.path);
        if (i % 2) /* it is the same whether the tape is fresh or in the middle of another run */
            assert_int_equal(training_until(&part, 3), GB_OK);
        assert_int_equal(gb_checkpoint_load(&part.c), GB_OK);
        assert_int_equal(part.place[0], stops[i]);
        assert_int_equal(training_until(&part, STEPS), GB_OK);
        fails_if_different(&part, &whole, when);
    }
    scratch_end(&dir);
}

TEST(a_training_goes_on_bit_for_bit)
{
    goes_on_the_same_with(GB_DOUBLE);
}

TEST(a_float_training_goes_on_bit_for_bit)
{
    goes_on_the_same_with(GB_FLOAT);
}

/* Else the tests here would show nothing. */
TEST(what_is_not_restored_would_be_seen)
{
    training a, b;
    training_begin(&a, GB_DOUBLE, 0.2, "x");
    training_begin(&b, GB_DOUBLE, 0.2, "x");
    assert_int_equal(training_until(&a, 8), GB_OK);
    assert_int_equal(training_until(&b, 8), GB_OK);
    assert_null(training_differs(&a, &b));
    for (int i = 0; i < 3; i++) {
        gb_program_set_step(b.program[i], 3);
        training_step(&a), training_step(&b);
        gb_program_set_step(b.program[i], gb_program_step(a.program[i]));
        assert_non_null(training_differs(&a, &b));
        memcpy(b.trace, a.trace, sizeof a.trace);
        if (i < 2)
            assert_non_null(training_differs(&a, &b));
        gb_node mine[64], others[64];
        for (size_t j = gb_tape_variables(a.t, mine, 64); j-- > 0;) {
            gb_tape_variables(b.t, others, 64);
            gb_set_data(others[j], gb_variable_data(mine[j]));
        }
        assert_null(training_differs(&a, &b));
    }
}

/* ---- killed ---- */

/* Trains and saves after every step, and writes a byte to `out` for each. */
static void train_in_child(const char *path, int out)
{
    training r;
    training_begin(&r, GB_DOUBLE, 0.2, path);
    gb_status status = gb_error(r.t);
    while (status == GB_OK && r.place[0] < STEPS) {
        status = training_step(&r);
        if (status == GB_OK)
            status = gb_checkpoint_save(&r.c);
        if (write(out, "", 1) != 1)
            _exit(3);
    }
    _exit(status != GB_OK);
}

static void wait_for_steps(int in, int steps)
{
    char step;
    while (steps-- > 0)
        assert_int_equal(read(in, &step, 1), 1);
}

/* A child that is killed `nanoseconds` after a step; true if it had not come to its end. */
static bool killed(const char *path, int number, int step, long nanoseconds)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        train_in_child(path, ends[1]);
    close(ends[1]);
    wait_for_steps(ends[0], step);
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    kill(child, number);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == number : WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* The values of GREBE_NATIVE until a training is stopped, and where it goes on. */
typedef struct executors {
    const char *before, *after;
} executors;

static const executors BY_INTERPRETER = {"off", "off"};

static void goes_on_after(int number, unsigned times, executors by)
{
    const scratch dir = scratch_new();
    training whole;
    unsigned random = 12345, cut = 0;
    training_begin(&whole, GB_DOUBLE, 0.2, dir.path);
    assert_int_equal(training_until(&whole, STEPS), GB_OK);
    for (unsigned i = 0; i < times; i++) {
        training part;
        random = random * 1103515245u + 12345;
        const int step = 1 + (int)(random >> 16) % (STEPS - 5);
        setenv("GREBE_NATIVE", by.before, 1);
        cut += killed(dir.path, number, step, (long)(random >> 8) % 2000000);
        setenv("GREBE_NATIVE", by.after, 1);
        training_begin(&part, GB_DOUBLE, -3, dir.path);
        unsetenv("GREBE_NATIVE");
        assert_int_equal(gb_checkpoint_load(&part.c), GB_OK);
        assert_true(part.place[0] >= (uint64_t)step);
        assert_int_equal(training_until(&part, STEPS), GB_OK);
        for (int p = 0; p < 3; p++)
            assert_string_equal(gb_program_native(part.program[p]),
                                strcmp(by.after, "now") == 0 ? "native code" : "interpreted");
        fails_if_different(&part, &whole, "killed");
        scratch_files(&dir, true);
    }
    assert_true(cut > 0);
    scratch_end(&dir);
}

static unsigned kills(void)
{
    const char *const asked = getenv("GB_KILLS");
    const unsigned times = asked ? (unsigned)strtoul(asked, NULL, 10) : 0;
    return times > 0 ? times : 5;
}

TEST(a_training_that_was_killed_goes_on_bit_for_bit)
{
    goes_on_after(SIGKILL, kills(), BY_INTERPRETER);
}

TEST(a_training_that_was_terminated_goes_on_bit_for_bit)
{
    goes_on_after(SIGTERM, (kills() + 4) / 5, BY_INTERPRETER);
}

TEST(the_executor_may_change_where_a_killed_training_goes_on)
{
    gb_native_facts facts;
    setenv("XDG_CACHE_HOME", GB_TEST_FOLDER "/cache", 1);
    if (!gb_native_look(&facts)) {
        print_message("no native code: %s\n", facts.fault);
        skip();
    }
    goes_on_after(SIGKILL, (kills() + 4) / 5, (executors){"off", "now"});
    goes_on_after(SIGKILL, (kills() + 4) / 5, (executors){"now", "off"});
}
