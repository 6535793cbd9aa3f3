/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forked process uses the tapes that it inherited: with threads of its own, and with the same bits. */
#include "support/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/counted_memory.h"
#include "support/workload.h"

enum { STEPS = 3, ROWS = 500, WIDTH = 40, WIDE = 5000, SAMPLES = 6, THREADS = 3 };

/* What a child ends with. A child that hangs is ended by SIGALRM. */
enum { GOOD, FAILED, OTHER_BITS, OTHER_THREADS, LOST_MEMORY };

typedef struct training {
    counted_memory memory;
    workload w;
    gb_tape *tape;
} training;

static void begin(training *s, int threads)
{
    *s = (training){0};
    s->tape = gb_tape_new(.seed = 11, .threads = threads, .samples = SAMPLES, .memory = counted(&s->memory));
    workload_record(&s->w, s->tape, ROWS, WIDTH, WIDE);
    workload_feed(&s->w);
}

static bool steps(training *s)
{
    for (int i = 0; i < STEPS; i++)
        if (gb_run(s->w.train) != GB_OK)
            return false;
    return true;
}

/* Returns the values after `parts` times STEPS steps in one process, with one thread. */
static double *expected_after(int parts, size_t *count)
{
    training s;
    begin(&s, 1);
    for (int i = 0; i < parts; i++)
        assert_true(steps(&s));
    double *const values = workload_values(&s.w, count);
    assert_non_null(values);
    gb_tape_free(s.tape);
    return values;
}

static bool has_values(const training *s, const double *expected, size_t count)
{
    size_t mine;
    double *const values = workload_values(&s->w, &mine);
    const bool same = values && mine == count && memcmp(values, expected, count * sizeof *values) == 0;
    free(values);
    return same;
}

/* How many threads this process has; 0 where the system does not list them. */
static int own_threads(void)
{
    int count = 0;
    DIR *const folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

static int end(training *s)
{
    gb_tape_free(s->tape);
    return s->memory.outstanding == 0 ? GOOD : LOST_MEMORY;
}

/* Returns what `child` ends with in a process of its own, forked from this one. */
static int forked(int (*child)(training *s, const void *context), training *s, const void *context)
{
    int status = 0;
    fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        alarm(100);
        _exit(child(s, context));
    }
    assert_true(process > 0);
    assert_int_equal(waitpid(process, &status, 0), process);
    if (WIFSIGNALED(status))
        fail_msg("the child ended by signal %d: %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

/* A child of a process with several threads may start none under the thread sanitizer. */
static void skip_under_thread_sanitizer(void)
{
#ifdef __SANITIZE_THREAD__
    skip();
#endif
}

typedef struct expectation {
    const double *values;
    size_t count;
    bool forks; /* a child of its own before it goes on */
} expectation;

static int go_on(training *s, const void *context)
{
    const expectation *const expected = context;
    const expectation last = {expected->values, expected->count, false};
    if (own_threads() > 1)
        return OTHER_THREADS;
    if (expected->forks) {
        const int of_child = forked(go_on, s, &last);
        if (of_child != GOOD)
            return of_child;
    }
    if (!steps(s))
        return FAILED;
    if (own_threads() != 0 && own_threads() != THREADS)
        return OTHER_THREADS;
    return has_values(s, expected->values, expected->count) ? end(s) : OTHER_BITS;
}

TEST(a_child_goes_on_with_threads_of_its_own_and_the_same_bits)
{
    skip_under_thread_sanitizer();
    training s;
    expectation expected = {.forks = true};
    double *const values = expected_after(2, &expected.count);
    expected.values = values;
    begin(&s, THREADS);
    assert_true(steps(&s));
    assert_int_equal(forked(go_on, &s, &expected), GOOD);
    assert_int_equal(forked(go_on, &s, &expected), GOOD);
    assert_true(steps(&s));
    assert_true(has_values(&s, values, expected.count));
    assert_int_equal(end(&s), GOOD);
    free(values);
}

static int only_free(training *s, const void *context)
{
    (void)context;
    return end(s);
}

/* Workers stop spinning, take the lock and sleep some time after a job: a child of any moment ends. */
TEST(a_child_of_any_moment_frees_its_tapes)
{
    skip_under_thread_sanitizer();
    training s;
    begin(&s, THREADS);
    for (int i = 0; i < 40; i++) {
        gb_run(s.w.look);
        nanosleep(&(struct timespec){.tv_nsec = i * 5000}, NULL);
        assert_int_equal(forked(only_free, &s, NULL), GOOD);
    }
    assert_int_equal(end(&s), GOOD);
}

/* A plan that the child makes has as much memory for threads as it starts. */
static int plan_anew(training *s, const void *context)
{
    const expectation *const expected = context;
    gb_program_set_samples(s->w.look, SAMPLES + 1);
    if (gb_run(s->w.look) != GB_OK)
        return FAILED;
    return steps(s) && has_values(s, expected->values, expected->count) ? end(s) : OTHER_BITS;
}

TEST(a_child_makes_plans_of_its_own)
{
    skip_under_thread_sanitizer();
    training s;
    expectation expected = {0};
    double *const values = expected_after(1, &expected.count);
    expected.values = values;
    begin(&s, THREADS);
    assert_int_equal(gb_prepare(s.w.train), GB_OK);
    assert_int_equal(forked(plan_anew, &s, &expected), GOOD);
    assert_int_equal(end(&s), GOOD);
    begin(&s, THREADS);
    assert_int_equal(forked(plan_anew, &s, &expected), GOOD); /* all of them */
    assert_int_equal(end(&s), GOOD);
    free(values);
}
