/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs as transactions: what a run changes, what it leaves alone, and what can be read when. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

TEST(right_hand_sides_read_old_values, .seed = 1)
{
    const gb_node a = gb_variable(t, "a", gb_shape(2), GB_VALUES(1, 2));
    const gb_node b = gb_variable(t, "b", gb_shape(2), GB_VALUES(3, 4));
    const gb_node sum = gb_add(a, b);
    gb_program *swap = gb_compile(t, gb_roots(a, sum), gb_updates_join(gb_assign(a, b), gb_assign(b, a)));
    assert_int_equal(gb_run(swap), GB_OK);
    assert_values(b, 1, 2);
    assert_values(a, 3, 4);
    assert_values(sum, 4, 6);
    assert_int_equal(gb_run(swap), GB_OK);
    assert_values(a, 1, 2);
    assert_values(b, 3, 4);
}

TEST(three_variables_can_move_round)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(2)),
                  z = gb_variable(t, "z", gb_shape(), gb_fill(3));
    gb_updates round = gb_updates_join(gb_assign(x, y), gb_updates_join(gb_assign(y, z), gb_assign(z, x)));
    gb_program *turn = gb_compile(t, gb_roots(x), round);
    for (int i = 0; i < 4; i++)
        assert_int_equal(gb_run(turn), GB_OK);
    assert_values(x, 2);
    assert_values(y, 3);
    assert_values(z, 1);
}

TEST(one_value_can_be_assigned_to_several_variables_and_be_a_root)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)),
                  y = gb_variable(t, "y", gb_shape(3), gb_fill(0)),
                  constant = gb_variable(t, "constant", gb_shape(3), gb_fill(0));
    const gb_node next = gb_scale(x, 2);
    gb_updates all = gb_updates_join(gb_assign(x, next), gb_assign(y, next));
    all = gb_updates_join(all, gb_assign(constant, gb_ones(t, gb_shape(3))));
    gb_program *p = gb_compile(t, gb_roots(next), all);
    for (int i = 0; i < 3; i++)
        assert_int_equal(gb_run(p), GB_OK);
    assert_values(x, 8, 16, 24);
    assert_values(y, 8, 16, 24);
    assert_values(next, 8, 16, 24);
    assert_values(constant, 1, 1, 1);
}

TEST(a_value_that_is_not_finite_changes_no_variable_and_names_its_operation)
{
    const gb_node good = gb_variable(t, "good", gb_shape(2), GB_VALUES(1, 2)),
                  bad = gb_variable(t, "bad", gb_shape(2), GB_VALUES(1, 2));
    const gb_node culprit = gb_named(gb_log(gb_shift(bad, -1.5)), "culprit");
    const gb_node next = gb_exp(gb_scale(culprit, 2)); /* NaN reaches it through two more operations */
    gb_program *p = gb_compile(t, gb_roots(good),
                               gb_updates_join(gb_assign(good, gb_scale(good, 3)), gb_assign(bad, next)));
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    assert_non_null(strstr(gb_error_text(t), "new value of variable bad"));
    assert_non_null(strstr(gb_error_text(t), "NaN"));
    assert_rejected(t, GB_ENONFINITE, "log culprit");
    assert_values(good, 1, 2);
    assert_values(bad, 1, 2);
    assert_int_equal(gb_program_step(p), 0);
    assert_int_equal(gb_set(bad, GB_VALUES(2.5, 3.5)), GB_OK); /* and a run on better data goes on */
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(good, 3, 6);
    assert_int_equal(gb_program_step(p), 1);
}

TEST(an_infinity_is_rejected_in_an_assign_whatever_its_sign)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        gb_tape *const tape = test_tape();
        const gb_node x = gb_variable(tape, "x", gb_shape(600), gb_fill(1));
        const gb_node big = gb_scale(gb_exp(gb_scale(x, 1000)), sign);
        gb_program *p = gb_compile(tape, gb_roots(gb_sum(x)), gb_assign(x, big));
        assert_int_equal(gb_run(p), GB_ENONFINITE);
        assert_rejected(tape, GB_ENONFINITE, "the first infinite value was made by exp");
        assert_close(gb_value(gb_sum(gb_constant(tape, gb_shape(1), gb_fill(7)))), 7,
                     0); /* nothing ran: reads evaluate */
    }
}

/* Where x is 0 or less it would be chosen; here it is not. */
TEST(an_infinite_constant_is_not_blamed)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(1)), zero = gb_num(t, 0);
    const gb_node guarded = gb_where(gb_greater(x, zero), x, gb_num(t, (double)INFINITY));
    gb_run(gb_compile(t, gb_roots(x), gb_assign(x, gb_exp(gb_scale(guarded, 1000)))));
    assert_rejected(t, GB_ENONFINITE, "the first infinite value was made by exp");
    gb_run(
        gb_compile(t, gb_roots(x), gb_assign(x, gb_where(gb_less(x, zero), x, gb_num(t, (double)INFINITY)))));
    assert_rejected(t, GB_ENONFINITE, "the first infinite value was made by where");
}

TEST(one_bad_element_anywhere_in_a_long_array_is_found)
{
    enum { COUNT = 10007 };
    static const size_t places[] = {0, 1, 255, 256, 4095, 4096, COUNT - 1};
    double *values = calloc(COUNT, sizeof *values);
    for (int real = 0; real < 2; real++) {
        gb_tape *const tape = test_tape(.real = real ? GB_FLOAT : GB_DOUBLE, .threads = 2);
        const gb_node x = gb_variable(tape, "x", gb_shape(COUNT), gb_fill(1));
        const gb_node in = gb_input(tape, "in", gb_shape(COUNT));
        gb_program *p = gb_compile(tape, (gb_node_list){0}, gb_assign(x, gb_add(x, gb_log(in))));
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            for (size_t j = 0; j < COUNT; j++)
                values[j] = 1;
            values[places[i]] = -1;
            gb_feed(in, values, 1);
            assert_int_equal(gb_run(p), GB_ENONFINITE);
            assert_rejected(tape, GB_ENONFINITE, "log");
        }
        values[COUNT - 1] = 1;
        gb_feed(in, values, 1);
        assert_int_equal(gb_run(p), GB_OK);
    }
    free(values);
}

TEST(minus_infinity_inside_and_in_a_root_is_legal)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(0, 1));
    const gb_node logs = gb_log(x); /* −inf, 0 */
    gb_program *p = gb_compile(t, gb_roots(logs), gb_assign(x, gb_exp(logs)));
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(logs, -INFINITY, 0);
    assert_values(x, 0, 1);
}

TEST(plus_infinity_or_nan_in_a_root_stops_only_a_program_that_assigns)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(0)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(1));
    const gb_node bad = gb_reciprocal(x);
    gb_program *assigns = gb_compile(t, gb_roots(bad), gb_assign(y, gb_scale(y, 2)));
    gb_program *looks = gb_compile(t, gb_roots(bad), gb_no_update);
    assert_int_equal(gb_run(assigns), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "root reciprocal is not finite");
    assert_values(y, 1);
    assert_int_equal(gb_run(looks), GB_OK);
    assert_values(bad, INFINITY);
}

TEST(a_constant_that_is_not_finite_stops_every_run_and_not_the_first_one_only)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)), bad = gb_log(gb_num(t, -1));
    gb_program *root = gb_compile(t, gb_roots(bad), gb_assign(x, gb_scale(x, 2)));
    gb_program *assigned = gb_compile(t, gb_roots(gb_exp(x)), gb_assign(x, bad));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gb_run(root), GB_ENONFINITE);
        assert_rejected(t, GB_ENONFINITE, "root log is not finite");
        assert_int_equal(gb_run(assigned), GB_ENONFINITE);
        assert_rejected(t, GB_ENONFINITE, "new value of variable x");
        assert_values(x, 1);
    }
}

TEST(roots_of_a_run_that_was_stopped_cannot_be_read_and_variables_can)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(2)), in = gb_input(t, "in", gb_shape());
    const gb_node root = gb_scale(in, 1.5);
    gb_program *p = gb_compile(t, gb_roots(root, x), gb_assign(x, gb_log(in)));
    gb_feed(in, (const double[]){1}, 1);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(root, 1.5);
    gb_feed(in, (const double[]){-2}, 1);
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    gb_forgive(t);
    assert_true(isnan(gb_value(root)));
    assert_rejected(t, GB_EREAD, "no program that has run keeps mul");
    assert_values(x, 0);
    gb_feed(in, (const double[]){1}, 1);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(root, 1.5);
}

TEST(setting_the_step_repeats_a_run_bit_for_bit, .seed = 7)
{
    enum { COUNT = 1000, RUNS = 4 };
    static double first[RUNS][COUNT], again[COUNT];
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape(COUNT), 0);
    gb_program *p = gb_compile(t, gb_roots(z), gb_no_update);
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(gb_program_step(p), i);
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(z, first[i], COUNT);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(first[i], first[j], sizeof first[i]);
    }
    for (int i = RUNS - 1; i >= 0; i--) {
        gb_program_set_step(p, (uint64_t)i);
        gb_run(p);
        gb_read(z, again, COUNT);
        assert_memory_equal(again, first[i], sizeof again);
    }
}

TEST(a_program_that_only_looks_never_draws_what_training_draws, .seed = 7)
{
    double looked[64], trained[64];
    const gb_node z = gb_uniform_noise(gb_stream(t, "z"), gb_shape(64), 0);
    const gb_node x = gb_variable(t, "x", gb_shape(64), gb_fill(0));
    gb_program *looks = gb_compile(t, gb_roots(z), gb_no_update),
               *trains = gb_compile(t, gb_roots(z), gb_assign(x, z));
    gb_run(looks);
    gb_read(z, looked, 64);
    gb_run(trains);
    gb_read(z, trained, 64); /* of the latest run */
    assert_memory_not_equal(looked, trained, sizeof looked);
    gb_read(x, looked, 64);
    assert_memory_equal(looked, trained, sizeof looked);
}

TEST(a_rejected_run_is_repeated_with_the_same_noise, .seed = 3)
{
    const gb_node x = gb_variable(t, "x", gb_shape(8), gb_fill(0)),
                  z = gb_normal_noise(gb_stream(t, "z"), gb_shape(8), 0);
    const gb_node divisor = gb_input(t, "divisor", gb_shape());
    gb_program *p = gb_compile(t, gb_roots(z), gb_assign(x, gb_div(z, divisor)));
    double rejected[8], ran[8];
    gb_feed(divisor, (const double[]){1}, 1);
    gb_run(p);
    gb_program_set_step(p, 0);
    gb_read(z, ran, 8);
    gb_feed(divisor, (const double[]){0}, 1);
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "step 0");
    assert_int_equal(gb_program_step(p), 0);
    gb_feed(divisor, (const double[]){1}, 1);
    gb_run(p);
    gb_read(z, rejected, 8);
    assert_memory_equal(rejected, ran, sizeof ran);
}
