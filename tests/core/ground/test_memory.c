/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where memory runs out: an error, no leak, no crash, nothing half done, and
 * all is well again when memory is back. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/workload.h"

enum { STEPS = 2, ROWS = 6, WIDTH = 4, WIDE = 1500 };

/* The whole life of a tape: recording, looking, training, printing. Returns the runs that ended well. */
static int live(workload *w, gb_tape *tape)
{
    int done = 0;
    workload_record(w, tape, ROWS, WIDTH, WIDE);
    if (gb_error(tape) != GB_OK || workload_feed(w) != GB_OK || isnan(gb_value(w->loss)))
        return 0;
    while (done < STEPS && gb_run(w->train) == GB_OK)
        done++;
    if (done == STEPS && gb_run(w->look) == GB_OK) {
        FILE *nowhere = fopen("/dev/null", "w");
        gb_print(w->loss, nowhere);
        fclose(nowhere);
    }
    return done;
}

static gb_tape *new_tape(counted_memory *memory, int threads)
{
    return gb_tape_new(.seed = 3, .threads = threads, .samples = 2, .memory = counted(memory));
}

/* The variables, after any number of steps. */
static void read_variables(const workload *w, double values[], size_t room)
{
    const gb_node nodes[] = {w->weights, w->bias, w->table, w->columns};
    size_t used = 0;
    for (size_t i = 0; i < 4; i++) {
        const size_t count = gb_shape_count(gb_node_shape(nodes[i]));
        assert_true(used + count <= room);
        assert_int_equal(gb_read(nodes[i], values + used, count), GB_OK);
        used += count;
    }
}

enum { ROOM = 5 * WIDTH + WIDTH + 3 * WIDTH + 4 * WIDE };
static double expected[STEPS + 1][ROOM], found[ROOM];

/* What the variables are after each step, where memory never ends; and how often it is asked for. */
static size_t expect(int threads)
{
    counted_memory memory = {0};
    workload w;
    gb_tape *tape = new_tape(&memory, threads);
    assert_int_equal(live(&w, tape), STEPS);
    assert_fine(tape);
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
    const size_t asked = memory.asked;
    tape = new_tape(&memory, threads);
    workload_record(&w, tape, ROWS, WIDTH, WIDE);
    workload_feed(&w);
    for (int i = 0; i <= STEPS; i++) {
        read_variables(&w, expected[i], ROOM);
        gb_run(w.train);
    }
    assert_fine(tape);
    gb_tape_free(tape);
    return asked;
}

static void fail_at(size_t number, bool and_after, int threads)
{
    counted_memory memory = {.fail_at = number, .fail_after = and_after};
    workload w = {0};
    gb_tape *tape = new_tape(&memory, threads);
    if (!tape) {
        assert_int_equal(gb_error(tape), GB_ENOMEM);
        assert_int_equal(memory.outstanding, 0);
        return;
    }
    const int done = live(&w, tape);
    const bool failed = gb_error(tape) != GB_OK; /* with fewer threads than asked for, all goes well */
    if (failed && (gb_error(tape) != GB_ENOMEM || !strstr(gb_error_text(tape), "out of memory")))
        fail_msg("request %zu: \"%s: %s\"", number, gb_status_text(gb_error(tape)), gb_error_text(tape));
    if (!failed)
        assert_int_equal(done, STEPS);
    memory.fail_at = 0;
    gb_forgive(tape);
    if (!w.train || !w.look) { /* not all is recorded: from the start again */
        gb_tape_reset(tape);
        workload_record(&w, tape, ROWS, WIDTH, WIDE);
    }
    read_variables(&w, found, ROOM);
    if (memcmp(found, expected[done], sizeof found) != 0)
        fail_msg("request %zu: the variables are not those of step %d", number, done);
    assert_int_equal(workload_feed(&w), GB_OK);
    for (int i = done; i < STEPS; i++)
        assert_int_equal(gb_run(w.train), GB_OK);
    read_variables(&w, found, ROOM);
    if (memcmp(found, expected[STEPS], sizeof found) != 0)
        fail_msg("request %zu: after the error the run goes another way", number);
    gb_tape_free(tape);
    if (memory.outstanding)
        fail_msg("request %zu: %zu blocks are not given back", number, (size_t)memory.outstanding);
}

TEST(any_one_request_may_fail)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        const size_t asked = expect(threads);
        for (size_t number = 1; number <= asked; number++)
            fail_at(number, false, threads);
    }
}

TEST(all_requests_from_one_on_may_fail)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        const size_t asked = expect(threads);
        for (size_t number = 1; number <= asked; number++)
            fail_at(number, true, threads);
    }
}

/* The replay that looks for the culprit needs memory too. */
TEST(a_rejected_run_stays_rejected_without_memory_to_explain_it)
{
    for (size_t number = 1; number < 60; number++) {
        counted_memory memory = {0};
        gb_tape *tape = gb_tape_new(.threads = 1, .memory = counted(&memory));
        const gb_node x = gb_variable(tape, "x", gb_shape(3), GB_VALUES(1, 0, 2));
        gb_program *p = gb_compile(tape, gb_roots(gb_sum(x)), gb_assign(x, gb_add(x, gb_reciprocal(x))));
        gb_prepare(p);
        memory.fail_at = memory.asked + number;
        memory.fail_after = number % 2;
        const gb_status status = gb_run(p);
        assert_true(status == GB_ENONFINITE || status == GB_ENOMEM);
        assert_int_equal(status, gb_error(tape));
        memory.fail_at = 0;
        gb_forgive(tape);
        assert_values(x, 1, 0, 2);
        assert_int_equal(gb_run(p), GB_ENONFINITE);
        assert_rejected(tape, GB_ENONFINITE, "reciprocal");
        gb_tape_free(tape);
        assert_int_equal(memory.outstanding, 0);
    }
}

TEST(another_number_of_rows_that_cannot_be_planned_leaves_the_old_one)
{
    counted_memory memory = {0};
    gb_tape *tape = gb_tape_new(.threads = 1, .memory = counted(&memory));
    const gb_node x = gb_input_rows(tape, "x", gb_shape()), y = gb_sum_over(gb_exp(x), GB_ROWS);
    gb_program *p = gb_compile(tape, gb_roots(y), gb_no_update);
    gb_feed(x, (const double[]){0, 0}, 2);
    assert_int_equal(gb_run(p), GB_OK);
    for (size_t number = 1; number < 20; number++) {
        gb_feed(x, (const double[]){0, 0, 0}, 3);
        memory.fail_at = memory.asked + number;
        if (gb_run(p) == GB_OK)
            break;
        memory.fail_at = 0;
        assert_rejected(tape, GB_ENOMEM, "out of memory");
        gb_feed(x, (const double[]){0, 0}, 2);
        assert_int_equal(gb_run(p), GB_OK);
        assert_values(y, 2);
    }
    memory.fail_at = 0;
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
}

TEST(a_tape_reset_again_and_again_keeps_nothing_but_what_rejects_old_programs)
{
    counted_memory memory = {0};
    gb_tape *tape = new_tape(&memory, 1);
    workload w;
    size_t after[40];
    for (int i = 0; i < 40; i++) {
        assert_int_equal(live(&w, tape), STEPS);
        after[i] = memory.outstanding;
        gb_tape_reset(tape);
        assert_int_equal(gb_tape_length(tape), 0);
    }
    assert_true(after[39] <=
                after[5] + 2 * 34); /* a small struct for each of the two programs: they can be rejected */
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
}

/* What rejects old programs is kept for the latest 4,096 of them. */
TEST(any_number_of_resets_keeps_a_bounded_number_of_programs)
{
    enum { RESETS = 10000, KEPT = 4096 };
    counted_memory memory = {0};
    gb_tape *const tape = new_tape(&memory, 1);
    gb_program *program = NULL, *before = NULL;
    for (int i = 0; i < RESETS; i++) {
        before = program;
        program = gb_compile(tape, gb_roots(gb_exp(gb_num(tape, 1))), gb_no_update);
        assert_non_null(program);
        gb_tape_reset(tape);
    }
    assert_true(memory.outstanding <= KEPT + 100);
    assert_int_equal(gb_run(before), GB_EPROGRAM);
    assert_non_null(strstr(gb_error_text(tape), "compiled before gb_tape_reset"));
    gb_program_free(before);
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
}

TEST(without_a_tape_every_function_says_so)
{
    const gb_node none = gb_num(NULL, 1);
    assert_false(gb_node_ok(none));
    assert_int_equal(gb_error(NULL), GB_ENOMEM);
    assert_string_equal(
        gb_error_text(NULL),
        "there is no tape: memory ran out, or the options struct of gb_tape_new_with has no size");
    assert_false(gb_node_ok(gb_variable(NULL, "x", gb_shape(), gb_fill(0))));
    assert_false(gb_node_ok(gb_add(none, none)));
    assert_false(gb_node_ok(gb_sum(none)));
    assert_false(gb_node_ok(gb_grad(none, none)));
    assert_null(gb_compile(NULL, gb_roots(none), gb_assign(none, none)));
    assert_int_not_equal(gb_run(NULL), GB_OK);
    assert_true(isnan(gb_value(none)));
    assert_int_not_equal(gb_feed(none, NULL, 1), GB_OK);
    gb_forgive(NULL);
    gb_tape_reset(NULL);
    gb_tape_free(NULL);
    gb_program_free(NULL);
}
