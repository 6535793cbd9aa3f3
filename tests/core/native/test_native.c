/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans as native code give the bits of the interpreter. */
#include "support/test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "core/gradient.h"
#include "core/ground/clock_impl.h"
#include "core/native/native_impl.h"
#include "core/noise.h"
#include "core/run/program_impl.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/recursion.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "support/counted_memory.h"
#include "support/native.h"
#include "support/random_graph.h"

enum { MOST_ROOTS = 64 };

/* What one tape computes, in some runs. */
typedef struct results {
    double *number;
    size_t count;
} results;

static void keep(results *r, gb_node root)
{
    const size_t count = gb_value_count(root);
    r->number = realloc(r->number, (r->count + count + 1) * sizeof *r->number);
    assert_int_equal(gb_read(root, r->number + r->count, count), GB_OK);
    r->count += count;
}

static void assert_same(results *a, results *b, const char *what)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const bool same = memcmp(&a->number[i], &b->number[i], sizeof(double)) == 0 ||
                          (a->number[i] != a->number[i] && b->number[i] != b->number[i]);
        if (!same)
            fail_msg("%s: number %zu is %.17g by the interpreter, %.17g by native code", what, i,
                     a->number[i], b->number[i]);
    }
    free(a->number);
    free(b->number);
    *a = *b = (results){0};
}

static void assert_native(const gb_program *p)
{
    if (strcmp(gb_program_native(p), "native code") != 0)
        fail_msg("not native: %s", gb_program_native(p));
}

static char *text_of(gb_program *p)
{
    FILE *const file = tmpfile();
    assert_int_equal(gb_program_dump(p, GB_DUMP_C, file), GB_OK);
    const long length = ftell(file);
    char *const text = calloc((size_t)length + 1, 1);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    fclose(file);
    return text;
}

static int functions_of(const char *text)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, "void part_")); at++)
        count++;
    return count;
}

/* ---- random graphs ---- */

/* The latest value and gradients of its squares; and all values. */
static void run_graph(uint64_t seed, gb_real real, const char *native, results *r)
{
    graph g;
    setenv("GREBE_NATIVE", native, 1);
    graph_begin(&g, seed, real);
    gb_node root[MOST_ROOTS], loss = gb_num(g.tape, 0);
    size_t roots = 0;
    for (size_t i = 0; i < g.count; i++)
        if (graph_below(&g, 3) == 0 || i + 1 == g.count)
            root[roots++] = g.value[i].node;
    for (size_t i = 0; i < roots; i++) {
        const gb_node sum = gb_sum(gb_square(root[i]));
        loss = gb_add(loss, gb_sum_over(sum, g.axis[0] | g.axis[1] | g.axis[2]));
    }
    gb_grads(loss, g.variable, GRAPH_VARIABLES, root + roots);
    roots += GRAPH_VARIABLES;
    gb_program *const p = gb_compile(g.tape, (gb_node_list){roots, root}, gb_no_update);
    for (int run = 0; run < 2; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        for (size_t i = 0; i < roots; i++)
            keep(r, root[i]);
    }
    if (strcmp(native, "now") == 0)
        assert_native(p);
    graph_end(&g);
}

static void random_graphs_agree(const char *isa, gb_real real, uint64_t first, uint64_t graphs)
{
    results by_interpreter = {0}, by_native = {0};
    setenv("GREBE_ISA", isa, 1);
    for (uint64_t seed = first; seed < first + graphs; seed++) {
        char what[64];
        snprintf(what, sizeof what, "%s, %s, graph %d", isa, real == GB_FLOAT ? "float" : "double",
                 (int)seed);
        run_graph(seed, real, "off", &by_interpreter);
        run_graph(seed, real, "now", &by_native);
        assert_same(&by_interpreter, &by_native, what);
    }
    unsetenv("GREBE_ISA");
    unsetenv("GREBE_NATIVE");
}

TEST(random_graphs_have_the_bits_of_the_interpreter)
{
    native_needs_compiler();
    native_begin();
    static const char *const isa[GB_ISA_COUNT] = {"baseline", "avx2", "avx512"};
    const uint64_t graphs = getenv("GB_THOROUGH") ? 100 : 2;
    for (gb_isa i = GB_ISA_BASELINE; i <= gb_best_isa(); i++) {
        random_graphs_agree(isa[i], GB_DOUBLE, 100 * (uint64_t)i, graphs);
        random_graphs_agree(isa[i], GB_FLOAT, 100 * (uint64_t)i + 50, graphs);
    }
    native_end();
}

/* ---- a training with noise, long arrays, single numbers, a check; from one executor to the other ---- */

typedef struct training {
    gb_tape *t;
    gb_node loss, w, s;
    gb_program *p;
} training;

static training begin_training(gb_tape *t, int64_t length)
{
    training g = {.t = t};
    g.w = gb_variable(t, "w", gb_shape(length), gb_fill(0.3));
    g.s = gb_variable(t, "s", gb_shape(), gb_fill(-1));
    const gb_node e = gb_normal_noise(gb_stream(t, "e"), gb_shape(length), GB_SAMPLES);
    const gb_node z = gb_add(g.w, gb_mul(gb_exp(g.s), e));
    const gb_node fit = gb_sum(gb_add(gb_softplus(gb_mul(z, gb_sin(z))), gb_square(gb_shift(z, -1))));
    const gb_node odd = gb_log1p(gb_square(gb_div(g.s, gb_shift(gb_tanh(g.s), 2))));
    g.loss = gb_add(gb_mean_over(fit, GB_SAMPLES), odd);
    const gb_node of[] = {g.w, g.s};
    gb_node by[2];
    gb_grads(g.loss, of, 2, by);
    g.p = gb_compile(t, gb_roots(g.loss),
                     gb_updates_join(gb_assign(g.w, gb_sub(g.w, gb_scale(by[0], 0.01))),
                                     gb_assign(g.s, gb_sub(g.s, gb_scale(by[1], 0.001)))));
    return g;
}

/* Runs that many steps, and keeps the loss of each, and the variables after the last. */
static results train(gb_tape_options how, int64_t length, int steps)
{
    results r = {0};
    how.size = sizeof how;
    how.seed = 3;
    how.samples = 3;
    gb_tape *const t = gb_tape_new_with(&how);
    training g = begin_training(t, length);
    for (int i = 0; i < steps; i++) {
        if (gb_run(g.p) != GB_OK)
            fail_msg("%s", gb_error_text(t));
        keep(&r, g.loss);
    }
    keep(&r, g.w);
    keep(&r, g.s);
    if (how.native == GB_NATIVE_NOW)
        assert_native(g.p);
    gb_tape_free(t);
    return r;
}

TEST(trainings_have_the_bits_of_the_interpreter)
{
    static const int64_t lengths[] = {1, 5, 300, 5000, 40000};
    native_needs_compiler();
    native_begin();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int threads = 1; threads <= (lengths[i] > 5000 ? 4 : 1); threads *= 2) {
            const bool flush = threads == 2;
            const gb_real real = lengths[i] == 5000 ? GB_FLOAT : GB_DOUBLE;
            gb_tape_options how = {.real = real, .threads = threads, .flush_subnormals = flush};
            results by_interpreter = train(how, lengths[i], 4);
            how.native = GB_NATIVE_NOW;
            results by_native = train(how, lengths[i], 4);
            assert_same(&by_interpreter, &by_native, "training");
        }
    native_end();
}

/* ---- while a program runs ---- */

/* One step; slowly while the compiler works, so that they are few. */
static gb_status step_slowly(const training *g)
{
    if (strstr(gb_program_native(g->p), "being compiled"))
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return gb_run(g->p);
}

TEST(a_tape_that_is_freed_ends_its_compiler)
{
    native_begin();
    native_fake("sleep 100");
    gb_tape *const tape = gb_tape_new(.seed = 3, .samples = 3, .threads = 1, .native = GB_NATIVE_AUTO);
    training g = begin_training(tape, 20000);
    while (!strstr(gb_program_native(g.p), "being compiled"))
        assert_int_equal(gb_run(g.p), GB_OK);
    assert_int_equal(gb_run(g.p), GB_OK);
    sigset_t own, waiting;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &own, NULL);
    kill(getpid(), SIGUSR1); /* which the compiler's thread leaves alone */
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    assert_int_equal(sigpending(&waiting), 0);
    assert_int_equal(sigismember(&waiting, SIGUSR1), 1);
    sigwait(&own, &(int){0});
    const double start = gb_seconds();
    gb_tape_free(tape);
    assert_true(gb_seconds() - start < 5);
    native_end();
}

/* As soon as they have run for half a second, of which waits for the machine do not count. */
TEST(programs_whose_first_runs_are_long_are_compiled_soon)
{
    native_begin();
    native_fake("exit 1");
    gb_tape *const tape = gb_tape_new(.seed = 3, .samples = 3, .threads = 1, .native = GB_NATIVE_AUTO);
    training g = begin_training(tape, 1000000);
    assert_int_equal(gb_run(g.p), GB_OK); /* which plans, too */
    double seconds = 0, before = 1e300;
    while (strcmp(gb_program_native(g.p), "interpreted") == 0 && seconds < 2) {
        const double start = gb_seconds();
        assert_int_equal(gb_run(g.p), GB_OK);
        const double latest = gb_seconds() - start;
        seconds += latest < before ? latest : before;
        before = latest;
    }
    assert_true(seconds > 0.2 && seconds < 1.5);
    gb_tape_free(tape);
    native_end();
}

/* Returns whether a program of so many operations is to be compiled after so many runs, each of so many
 * seconds, which only the clock was told. */
static bool is_compiled_after(int operations, int runs, double seconds)
{
    gb_tape *const tape = gb_tape_new(.threads = 1, .native = GB_NATIVE_AUTO);
    gb_node y = gb_variable(tape, "x", gb_shape(), gb_fill(0.5));
    for (int i = 0; i < operations; i++)
        y = gb_tanh(y);
    gb_program *const p = gb_compile(tape, gb_roots(y), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    for (int i = 0; i < runs; i++)
        gb_native_after_run(p->latest, gb_seconds() - seconds);
    assert_int_equal(gb_run(p), GB_OK);
    const bool is = strcmp(gb_program_native(p), "interpreted") != 0;
    gb_tape_free(tape);
    return is;
}

/* A run that alone was long has waited for something. One of 32 short runs is timed, and counts for all. */
TEST(programs_are_compiled_after_so_much_work_as_the_compiler_has)
{
    native_begin();
    native_fake("exit 1");
    assert_true(is_compiled_after(1, 12, 0.1));
    assert_false(is_compiled_after(1000, 12, 0.1));
    assert_true(is_compiled_after(1000, 20, 0.1));
    assert_false(is_compiled_after(1, 1, 10));
    assert_true(is_compiled_after(1, 5000, 5e-6));
    native_end();
}

/* Goes on until three runs are by native code. Keeps the losses, then the variables. */
static void go_on(const training *g, results *r)
{
    int left = 3;
    while (left > 0 && step_slowly(g) == GB_OK) {
        const char *const words = gb_program_native(g->p);
        left -= strcmp(words, "native code") == 0;
        if (left == 3 && strncmp(words, "interpreted", strlen("interpreted")) != 0)
            break;
        keep(r, g->loss);
    }
    keep(r, g->w);
    keep(r, g->s);
}

enum { LENGTH = 20000 };

static void *train_on_thread(void *of)
{
    gb_tape *const tape = gb_tape_new(.seed = 3, .samples = 3, .threads = 1, .native = GB_NATIVE_AUTO);
    const training g = begin_training(tape, LENGTH);
    go_on(&g, of);
    gb_tape_free(tape);
    return NULL;
}

/* The same by the interpreter. */
static results train_like(const results *r)
{
    return train((gb_tape_options){.threads = 1}, LENGTH, (int)r->count - LENGTH - 1);
}

TEST(executors_change_while_programs_run_in_several_threads)
{
    enum { THREADS = 2 };
    pthread_t thread[THREADS];
    results r[THREADS] = {{0}};
    native_needs_compiler();
    native_begin();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, train_on_thread, &r[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        results by_interpreter = train_like(&r[i]);
        assert_same(&by_interpreter, &r[i], "from one to the other");
    }
    native_end();
}

/* A sanitizer lets a forked process start no threads, or leaves it a lock that one of them had. */
#if !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__
/* It has the program, but not the thread of its compiler. */
static int go_on_in_child(const training *g, results *r)
{
    if (strcmp(gb_program_native(g->p), "interpreted") != 0)
        return 1;
    go_on(g, r);
    const bool is_native = strcmp(gb_program_native(g->p), "native code") == 0;
    const results like = train_like(r);
    const bool same = memcmp(like.number, r->number, r->count * sizeof *r->number) == 0;
    free(like.number);
    free(r->number);
    gb_tape_free(g->t);
    return is_native && same ? 0 : 2;
}

TEST(a_forked_process_compiles_for_itself)
{
    int status;
    results r = {0};
    native_needs_compiler();
    native_begin();
    native_fake("[ -e \"$0.slow\" ] && rm \"$0.slow\" && sleep 100; cc \"$@\"");
    file_put_text(native_path("fake.slow"), "");
    gb_tape *const tape = gb_tape_new(.seed = 3, .samples = 3, .threads = 1, .native = GB_NATIVE_AUTO);
    const training g = begin_training(tape, LENGTH);
    while (!strstr(gb_program_native(g.p), "being compiled") || access(native_path("fake.slow"), F_OK) == 0) {
        assert_int_equal(step_slowly(&g), GB_OK);
        keep(&r, g.loss);
    }
    const pid_t child = fork();
    if (child == 0)
        _exit(go_on_in_child(&g, &r));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_non_null(strstr(gb_program_native(g.p), "being compiled"));
    free(r.number);
    gb_tape_free(tape);
    native_end();
}
#endif

/* Chunks that end within a vector of a row, by two threads: none writes what the next has written. */
static results write_rows(gb_native_use native)
{
    enum { WIDTH = 1101 };
    results r = {0};
    gb_tape *const t = gb_tape_new(.threads = 2, .native = native);
    const gb_node x = gb_variable(t, "x", gb_shape(WIDTH, WIDTH), gb_fill(0.5)),
                  b = gb_variable(t, "b", gb_shape(WIDTH), gb_fill(0.25));
    gb_program *const p =
        gb_compile(t, (gb_node_list){0}, gb_assign(x, gb_add(gb_scale(x, 0.75), gb_square(b))));
    for (int run = 0; run < 30; run++)
        assert_int_equal(gb_run(p), GB_OK);
    if (native == GB_NATIVE_NOW)
        assert_native(p);
    keep(&r, x);
    gb_tape_free(t);
    return r;
}

TEST(rows_that_end_a_chunk_leave_the_next_alone)
{
    native_needs_compiler();
    native_begin();
    results by_interpreter = write_rows(GB_NATIVE_OFF), by_native = write_rows(GB_NATIVE_NOW);
    assert_same(&by_interpreter, &by_native, "rows by two threads");
    native_end();
}

/* ---- a run stays a transaction ---- */

/* In straight code, and late in a loop. A root may be -infinity, a variable may not. */
static const struct {
    int64_t length;
    double sign;
} infinities[] = {{3, -1}, {3000, 1}};

static void run_to_infinity(gb_native_use native, int64_t length, double sign, char words[640])
{
    gb_tape *const t = gb_tape_new(.seed = 1, .threads = 1, .native = native);
    double *const number = malloc((size_t)length * sizeof *number);
    for (int64_t i = 0; i < length; i++)
        number[i] = i == length - 2 ? 1 : 2 + (double)i;
    const gb_node x = gb_variable(t, "x", gb_shape(length), gb_values_of(number, (size_t)length));
    const gb_node y = gb_scale(gb_reciprocal(gb_shift(x, -1)), sign); /* infinite at 1, which is no NaN */
    /* By its sine, which is a kernel, the loop goes from block to block. */
    gb_program *const p = gb_compile(t, gb_roots(y, gb_sin(x)), gb_assign(x, gb_add(x, y)));
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    snprintf(words, 640, "%s", gb_error_text(t));
    gb_forgive(t);
    double *const at = malloc((size_t)length * sizeof *at);
    assert_int_equal(gb_read(x, at, (size_t)length), GB_OK);
    assert_memory_equal(at, number, (size_t)length * sizeof *at);
    free(number);
    free(at);
    gb_tape_free(t);
}

/* Looking for the operation takes no second object. */
TEST(a_value_that_is_not_finite_is_named_and_nothing_changes)
{
    char by_interpreter[640], by_native[640];
    native_needs_compiler();
    native_begin();
    native_count();
    for (size_t i = 0; i < sizeof infinities / sizeof *infinities; i++) {
        const int before = native_calls();
        run_to_infinity(GB_NATIVE_OFF, infinities[i].length, infinities[i].sign, by_interpreter);
        run_to_infinity(GB_NATIVE_NOW, infinities[i].length, infinities[i].sign, by_native);
        assert_string_equal(by_interpreter, by_native);
        assert_true(native_calls() <= before + 1);
    }
    native_end();
}

/* ---- programs that once went wrong, or would ---- */

typedef struct graph_roots {
    gb_node at[8];
    size_t count;
} graph_roots;

static gb_node counted_up(gb_tape *t, const char *name, int64_t length)
{
    double number[130];
    for (int i = 0; i < 130; i++)
        number[i] = 1 + i;
    return gb_variable(t, name, gb_shape(length), gb_values_of(number, (size_t)length));
}

/* Irregular, of so many kinds of operations, with values that live from part to part. Two kinds have formulas
 * that are called. */
static graph_roots irregular_code(gb_tape *t, int operations, int kinds)
{
    enum { ALIVE = 24 };
    gb_node alive[ALIVE];
    uint32_t random = 1;
    for (int i = 0; i < ALIVE; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        alive[i] = gb_variable(t, name, gb_shape(), gb_fill(0.1 + 0.03 * i));
    }
    for (int i = 0; i < operations; i++) {
        random = random * 1664525u + 1013904223u;
        gb_node *const to = &alive[(random >> 24) % ALIVE];
        const gb_node a = alive[(random >> 16) % ALIVE], b = *to;
        switch (i % kinds) {
        case 0: *to = gb_add(a, b); break;
        case 1: *to = gb_div(a, gb_shift(gb_square(b), 1)); break;
        case 2: *to = gb_tanh(gb_sub(a, b)); break;
        default: *to = gb_sigmoid(gb_mul(a, b)); break;
        }
    }
    gb_node sum = gb_num(t, 0);
    for (int i = 0; i < ALIVE; i++)
        sum = gb_add(sum, alive[i]);
    return (graph_roots){{sum}, 1};
}

static graph_roots long_code(gb_tape *t)
{
    return irregular_code(t, 450, 4);
}

/* Its functions are in several files. */
static graph_roots longer_code(gb_tape *t)
{
    return irregular_code(t, 2600, 2);
}

/* Y gets the memory of V and W, and what is read of it begins where W began. */
static graph_roots used_memory(gb_tape *t)
{
    const gb_node x = gb_variable(t, "x", gb_shape(8), gb_fill(0.4)),
                  z = gb_variable(t, "z", gb_shape(50), gb_fill(3));
    const gb_node v = gb_tanh(x), w = gb_exp(x), z0 = gb_square(z);
    const gb_node z1 = gb_mul(gb_slice(z0, 0, 1, 50), gb_slice(z, 0, 0, 49));
    const gb_node y = gb_neg(gb_slice(z1, 0, 1, 49));
    const gb_node first = gb_mul(gb_slice(v, 0, 0, 4), gb_slice(w, 0, 0, 4));
    return (graph_roots){{first, gb_mul(gb_slice(y, 0, 40, 48), x)}, 2};
}

/* What is last read from the middle of Z is followed by results that get its memory, one of them from a later
 * place on: vector by vector it would be written before it is read. */
static graph_roots memory_that_is_read(gb_tape *t)
{
    const gb_node x = counted_up(t, "x", 50), z = gb_square(counted_up(t, "z", 130));
    const gb_node later = gb_slice(gb_neg(gb_slice(gb_square(x), 0, 1, 50)), 0, 1, 49);
    const gb_node middle = gb_neg(gb_slice(z, 0, 48, 96));
    return (graph_roots){{middle, gb_neg(later), gb_square(later), gb_abs(later)}, 4};
}

/* Long code, groups, and a loop whose values go through a kernel that is called. */
static graph_roots a_bit_of_all(gb_tape *t)
{
    const gb_node line = gb_variable(t, "line", gb_shape(600), gb_fill(0.7));
    const gb_node noisy = gb_add(gb_exp(line), gb_normal_noise(gb_stream(t, "e"), gb_shape(600), 0));
    const graph_roots used = used_memory(t);
    return (graph_roots){{long_code(t).at[0], used.at[0], used.at[1], gb_tanh(noisy), gb_sum(noisy)}, 5};
}

/* The first row of an array is taken from all of its rows, in several chunks. */
static graph_roots first_row_of_all(gb_tape *t)
{
    const gb_node x = gb_variable(t, "x", gb_shape(500, 33), gb_fill(0.5));
    const gb_node y = gb_cumsum(x, 0), first = gb_slice(y, 0, 0, 1);
    return (graph_roots){{gb_sub(y, first), gb_sum_along(gb_mul(y, first), gb_axis(-1))}, 2};
}

/* Several places of one variable. */
static graph_roots slices_of_a_variable(gb_tape *t)
{
    const gb_node x = counted_up(t, "x", 130), first = gb_slice(x, 0, 0, 8), later = gb_slice(x, 0, 64, 72);
    return (graph_roots){{gb_mul(first, gb_square(later)), gb_sub(gb_exp(gb_neg(first)), later)}, 2};
}

/* An array of which the first line is read before all of it. */
static graph_roots first_line_of_all(gb_tape *t)
{
    const gb_node x = counted_up(t, "x", 50), first = gb_square(gb_slice(x, 0, 0, 2));
    return (graph_roots){{gb_mul(x, gb_sum(gb_neg(gb_slice(x, 0, 1, 4)))), first}, 2};
}

static void leak(gb_scan_step *s)
{
    const gb_node *const a = s->user;
    s->next[0] = gb_tanh(gb_add(gb_mul(*a, s->state[0]), s->input[0]));
    s->output[0] = gb_square(s->next[0]);
}

/* Of which several are in the plan, with buffers of their own. */
static graph_roots steps_of_a_scan(gb_tape *t)
{
    gb_node a = gb_variable(t, "a", gb_shape(3), GB_VALUES(0.5, 0.7, 0.9));
    const gb_node x = gb_reshape(counted_up(t, "x", 120), gb_shape(40, 3));
    const gb_scan_result r = gb_scan(t, leak, gb_roots(gb_zeros(t, gb_shape(3))),
                                     .inputs = gb_roots(gb_scale(x, 0.01)), .outputs = 1, .user = &a);
    return (graph_roots){{r.last[0], r.output[0], gb_grad(gb_sum(r.output[0]), a)}, 3};
}

typedef struct named_graph {
    const char *name;
    graph_roots (*record)(gb_tape *t);
    const char *has; /* in its text */
    int least, most; /* functions */
} named_graph;

static const named_graph graphs[] = {
    {"long_straight_code", long_code, "= call_tanh(", 5, 20},
    {"longer_straight_code", longer_code, "#include", 41, 100},
    {"memory_that_is_used_again", used_memory, "part_0", 1, 1},
    {"memory_that_is_read_is_not_written_over", memory_that_is_read, "part_0", 1, 1},
    {"slices_of_a_variable", slices_of_a_variable, "part_0", 1, 1},
    {"first_line_and_all_of_an_array", first_line_of_all, "part_0", 1, 1},
    {"steps_of_a_scan", steps_of_a_scan, "f_tanh(", 2, 20},
    {"a_row_of_the_array_that_is_gone_through", first_row_of_all, "i + r0.shift", 1, 4},
    {"a_bit_of_all", a_bit_of_all, "(const gb_loop *loop", 6, 24},
};

/* Returns the program, or NULL if it could not be run. */
static gb_program *run_roots(graph_roots (*record)(gb_tape *t), gb_tape *t, results *r)
{
    const graph_roots roots = record(t);
    gb_program *const p = gb_compile(t, (gb_node_list){roots.count, roots.at}, gb_no_update);
    if (!p || gb_run(p) != GB_OK)
        return NULL;
    for (size_t i = 0; i < roots.count; i++)
        keep(r, roots.at[i]);
    return p;
}

TEST_EACH(graphs_have_the_bits_of_the_interpreter, graphs, .seed = 1)
{
    const named_graph *const asked = row;
    results by_interpreter = {0}, by_native = {0};
    native_needs_compiler();
    native_begin();
    assert_non_null(run_roots(asked->record, t, &by_interpreter));
    gb_program *const p = run_roots(asked->record, test_tape(.seed = 1, .native = GB_NATIVE_NOW), &by_native);
    assert_native(p);
    char *const text = text_of(p);
    assert_non_null(strstr(text, asked->has));
    assert_in_range(functions_of(text), asked->least, asked->most);
    free(text);
    assert_same(&by_interpreter, &by_native, asked->name);
    native_end();
}

/* Where subnormals count as 0, one of them is neither above nor below 0. A selection does not change it, but
 * a maximum of the machine would. */
static results choose_subnormals(const char *isa, gb_native_use native)
{
    results r = {0};
    setenv("GREBE_ISA", isa, 1);
    gb_tape *const tape = gb_tape_new(.flush_subnormals = true, .native = native);
    const gb_node x = gb_variable(tape, "x", gb_shape(20), gb_fill(0)),
                  y = gb_variable(tape, "y", gb_shape(20), gb_fill(5e-324));
    const gb_node root[] = {gb_where(gb_greater(x, y), x, y), gb_where(gb_less(x, y), x, y)};
    gb_program *const p = gb_compile(tape, (gb_node_list){2, root}, gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    keep(&r, root[0]);
    keep(&r, root[1]);
    gb_tape_free(tape);
    unsetenv("GREBE_ISA");
    return r;
}

TEST(subnormals_that_are_chosen_stay)
{
    static const char *const isa[GB_ISA_COUNT] = {"baseline", "avx2", "avx512"};
    native_needs_compiler();
    native_begin();
    for (gb_isa i = GB_ISA_BASELINE; i <= gb_best_isa(); i++) {
        results by_interpreter = choose_subnormals(isa[i], GB_NATIVE_OFF),
                by_native = choose_subnormals(isa[i], GB_NATIVE_NOW);
        assert_same(&by_interpreter, &by_native, isa[i]);
    }
    native_end();
}

/* Two formulas of which a compiler might make one: a product with 1, a difference with 0, and a number that
 * seems to be positive. A selection makes the 1 and the 0, and the sum flushes what is subnormal. */
static results pairs_of_formulas(const char *isa, gb_native_use native)
{
    results r = {0};
    setenv("GREBE_ISA", isa, 1);
    gb_tape *const tape = gb_tape_new(.flush_subnormals = true, .native = native);
    const gb_node x = gb_variable(tape, "x", gb_shape(20), gb_fill(5e-324)),
                  y = gb_variable(tape, "y", gb_shape(20), gb_fill(-0.0));
    const gb_node root[] = {gb_mul(x, gb_to_real(gb_equal(x, y))), gb_sub(x, gb_relu(y)),
                            gb_sigmoid(gb_rsqrt(y))};
    gb_program *const p = gb_compile(tape, (gb_node_list){3, root}, gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    if (native == GB_NATIVE_NOW)
        assert_native(p);
    for (size_t i = 0; i < 3; i++)
        keep(&r, root[i]);
    gb_tape_free(tape);
    unsetenv("GREBE_ISA");
    return r;
}

static const struct {
    const char *name;
} each_compiler[] = {{"gcc"}, {"clang"}};

TEST_EACH(a_compiler_makes_nothing_of_two_formulas, each_compiler)
{
    static const char *const isa[GB_ISA_COUNT] = {"baseline", "avx2", "avx512"};
    const char *const compiler = ((const struct { const char *name; } *)row)->name;
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
    if (system(command) != 0)
        skip();
    native_needs_compiler();
    native_begin();
    setenv("GREBE_CC", compiler, 1);
    for (gb_isa i = GB_ISA_BASELINE; i <= gb_best_isa(); i++) {
        results by_interpreter = pairs_of_formulas(isa[i], GB_NATIVE_OFF),
                by_native = pairs_of_formulas(isa[i], GB_NATIVE_NOW);
        assert_same(&by_interpreter, &by_native, isa[i]);
    }
    native_end();
}

/* ---- what is compiled is what runs ---- */

/* A compiler that adds 1 to each exponential shows which of them are by native code. */
TEST(straight_code_and_loops_run_what_was_compiled)
{
    native_needs_compiler();
    native_begin();
    native_fake("for each in \"$TMPDIR\"/*.c; do\n"
                "    sed 's/(V)(v_exp(x))/(V)(v_exp(x) + 1)/' \"$each\" > \"$each.new\"\n"
                "    mv \"$each.new\" \"$each\"\ndone\nexec cc \"$@\"");
    gb_tape *const tape = gb_tape_new(.threads = 1, .native = GB_NATIVE_NOW);
    const gb_node x = gb_variable(tape, "x", gb_shape(), gb_fill(0)),
                  y = gb_variable(tape, "y", gb_shape(5000), gb_fill(0));
    const gb_node roots[] = {gb_exp(x), gb_maximum(gb_exp(y)), gb_neg(gb_maximum(gb_neg(gb_exp(y))))};
    gb_program *const p = gb_compile(tape, (gb_node_list){3, roots}, gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_native(p);
    for (int i = 0; i < 3; i++)
        assert_true(gb_value(roots[i]) == 2);
    gb_tape_free(tape);
    native_end();
}

TEST(a_function_that_is_missing_is_not_called)
{
    native_needs_compiler();
    native_begin();
    native_fake("sed 's/void part_0/void part_none/' \"$TMPDIR/0.c\" > \"$TMPDIR/1.c\"\n"
                "mv \"$TMPDIR/1.c\" \"$TMPDIR/0.c\"\nexec cc \"$@\"");
    gb_tape *const tape = gb_tape_new(.threads = 1, .native = GB_NATIVE_NOW);
    const gb_node y = gb_exp(gb_variable(tape, "x", gb_shape(), gb_fill(0)));
    gb_program *const p = gb_compile(tape, gb_roots(y), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_true(gb_value(y) == 1);
    assert_string_equal(gb_program_native(p), "the compiler left out a function of native code");
    gb_tape_free(tape);
    native_end();
}

/* Of one number, of a vector, of a block, of more. */
TEST(plans_of_other_kinds_have_texts_of_their_own)
{
    static const int64_t rows[] = {1, 5, 100, 5000, 100, 1, 5};
    native_needs_compiler();
    native_begin();
    native_count();
    gb_tape *const tape = gb_tape_new(.threads = 1, .native = GB_NATIVE_NOW);
    const gb_node x = gb_input_rows(tape, "x", gb_shape()), y = gb_exp(x);
    gb_program *const p = gb_compile(tape, gb_roots(y, gb_sum_over(y, GB_ROWS)), gb_no_update);
    double number[5000] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gb_feed(x, number, rows[i]);
        assert_int_equal(gb_run(p), GB_OK);
        assert_native(p);
        double is[5000];
        assert_int_equal(gb_read(y, is, (size_t)rows[i]), GB_OK);
        for (int64_t k = 0; k < rows[i]; k++)
            assert_true(is[k] == 1);
    }
    assert_in_range(native_calls(), 2, 4);
    gb_tape_free(tape);
    native_end();
}

TEST(plans_share_no_object_that_could_not_be_made)
{
    native_begin();
    native_fake("exit 1");
    gb_tape *const tape = gb_tape_new(.threads = 1, .native = GB_NATIVE_NOW);
    const gb_node x = gb_input_rows(tape, "x", gb_shape()), y = gb_exp(x);
    gb_program *const p = gb_compile(tape, gb_roots(y), gb_no_update);
    const double number[60] = {0};
    for (int64_t rows = 50; rows < 53; rows++) {
        gb_feed(x, number, rows);
        assert_int_equal(gb_run(p), GB_OK);
        assert_non_null(strstr(gb_program_native(p), "it failed without a word"));
    }
    gb_tape_free(tape);
    native_end();
}

/* ---- without ---- */

TEST(without_a_compiler_programs_are_interpreted_and_words_say_why)
{
    native_begin();
    setenv("GREBE_CC", "/nowhere/cc", 1);
    gb_tape *const tape = gb_tape_new(.seed = 3, .samples = 3, .native = GB_NATIVE_NOW);
    training g = begin_training(tape, 5);
    assert_int_equal(gb_run(g.p), GB_OK);
    assert_non_null(strstr(gb_program_native(g.p), "/nowhere/cc"));
    assert_int_equal(gb_run(g.p), GB_OK);
    gb_tape_free(tape);
    native_end();
}

/* One request of memory fails, each in turn. What then runs has the same results, and nothing is lost. */
TEST(lack_of_memory_leaves_the_interpreter, .seed = 1)
{
    native_needs_compiler();
    native_begin();
    results should = {0};
    assert_non_null(run_roots(a_bit_of_all, t, &should));
    size_t by_native = 0, by_interpreter = 0, asked = 1;
    for (size_t fail_at = 0; fail_at <= asked; fail_at++) {
        counted_memory memory = {.fail_at = fail_at};
        gb_tape *const tape =
            gb_tape_new(.seed = 1, .threads = 1, .native = GB_NATIVE_NOW, .memory = counted(&memory));
        results is = {0};
        const gb_program *const p = tape ? run_roots(a_bit_of_all, tape, &is) : NULL;
        assert_true(p || !tape || gb_error(tape) == GB_ENOMEM);
        const bool is_native = p && strcmp(gb_program_native(p), "native code") == 0;
        by_native += is_native;
        by_interpreter += p && !is_native;
        assert_true(!p || memcmp(is.number, should.number, should.count * sizeof *is.number) == 0);
        free(is.number);
        gb_tape_free(tape);
        assert_int_equal(memory.outstanding, 0);
        asked = fail_at == 0 ? memory.asked : asked;
    }
    assert_true(by_native >= 1 && by_interpreter >= 20);
    free(should.number);
    native_end();
}

TEST(the_environment_takes_the_place_of_the_option)
{
    gb_tape *tape = gb_tape_new(.native = (gb_native_use)7);
    assert_int_equal(gb_error(tape), GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(tape), ".native is 7"));
    gb_tape_free(tape);
    setenv("GREBE_NATIVE", "maybe", 1);
    tape = gb_tape_new(.seed = 1);
    assert_int_equal(gb_error(tape), GB_EARGUMENT);
    gb_tape_free(tape);
    setenv("GREBE_NATIVE", "off", 1);
    tape = gb_tape_new(.seed = 3, .samples = 3, .native = GB_NATIVE_NOW);
    training g = begin_training(tape, 5);
    assert_int_equal(gb_run(g.p), GB_OK);
    assert_string_equal(gb_program_native(g.p), "interpreted");
    assert_string_equal(gb_program_native(NULL), "interpreted");
    gb_tape_free(tape);
    unsetenv("GREBE_NATIVE");
}

/* ---- the text ---- */

TEST(equal_parts_are_one_function)
{
    gb_tape *const tape = gb_tape_new(.seed = 1);
    const gb_node x = gb_variable(tape, "x", gb_shape(), GB_VALUES(0.5));
    gb_node y = x;
    for (int i = 0; i < 3000; i++)
        y = gb_add(gb_mul(y, gb_num(tape, 0.9 + i * 1e-6)), x);
    gb_program *const p = gb_compile(tape, gb_roots(y), gb_no_update);
    char *const text = text_of(p);
    assert_in_range(functions_of(text), 1, 4);
    assert_null(strstr(text, "0.9"));
    assert_int_equal(gb_tape_dump(tape, GB_DUMP_C, stderr), GB_EARGUMENT);
    free(text);
    gb_tape_free(tape);
}

/* Also where nothing is kept, and after a plan was forgotten. */
TEST(a_text_is_compiled_once_for_all_plans_of_a_program)
{
    enum { SIZES = 10 }; /* more than a program has plans */
    native_needs_compiler();
    native_begin();
    native_count();
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    gb_tape *const tape = gb_tape_new(.seed = 1, .native = GB_NATIVE_NOW);
    const gb_node x = gb_input_rows(tape, "x", gb_shape()), y = gb_sum_over(gb_exp(x), GB_ROWS);
    gb_program *const p = gb_compile(tape, gb_roots(y), gb_no_update);
    for (int64_t rows = 1; rows <= 2 * SIZES; rows++) {
        double number[10 * SIZES] = {0};
        gb_feed(x, number, 50 + rows % SIZES);
        assert_int_equal(gb_run(p), GB_OK);
        assert_native(p);
        assert_true(gb_value(y) == (double)(50 + rows % SIZES));
    }
    assert_int_equal(native_calls(), 1);
    gb_tape_free(tape);
    native_end();
}

TEST(texts_of_other_sizes_and_numbers_are_the_same)
{
    char *text[2];
    for (int i = 0; i < 2; i++) {
        gb_tape *const tape = gb_tape_new(.seed = 1, .samples = 3 + i);
        training g = begin_training(tape, 5000 + 700 * i);
        text[i] = text_of(g.p);
        gb_tape_free(tape);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

TEST(new_values_of_long_variables_are_stored_past_the_caches)
{
    gb_tape *const tape = gb_tape_new(.seed = 1);
    training g = begin_training(tape, 5000);
    char *const text = text_of(g.p);
    assert_non_null(strstr(text, "put_next(q"));
    assert_non_null(strstr(text, "end_next(far)"));
    free(text);
    gb_tape_free(tape);
}
