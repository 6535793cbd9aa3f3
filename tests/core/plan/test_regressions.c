/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults that there were once, of parts that have no file of their own here: each stays mended. */
#include "support/close.h"

#include <stdio.h>
#include <time.h>

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

/* ---- sums of terms under other shapes ---- */

TEST(a_reshaped_term_is_added_to_others_element_by_element)
{
    const gb_shape shapes[] = {gb_shape(2, 3), gb_shape(6, 1), gb_shape(1, 6), gb_shape(3, 1, 2)};
    double x0[6], slope[6];
    for (int i = 0; i < 6; i++) {
        x0[i] = i + 1;
        slope[i] = exp(x0[i]) + 2 * x0[i] + 0.5 / sqrt(x0[i]);
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        gb_tape *const tape = test_tape();
        const gb_node x = gb_variable(tape, "x", gb_shape(6), gb_values_of(x0, 6));
        const gb_node first = gb_sum(gb_exp(gb_reshape(x, shapes[s]))); /* recorded before the others */
        const gb_node y = gb_add(gb_add(first, gb_sum(gb_square(x))), gb_sum(gb_sqrt(x)));
        assert_values_at(gb_grad(y, x), 6, slope, 8, "the gradient", __LINE__);
    }
}

TEST(axes_that_lie_apart_are_summed_one_after_the_other)
{
    const gb_node x =
        gb_variable(t, "x", gb_shape(2, 3, 2), GB_VALUES(1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60));
    assert_values(gb_sum_along(x, gb_axis(0, 2)), 33, 77, 121);
    assert_values(gb_sum_along(x, gb_axis(2, 0)), 33, 77, 121);
}

/* ---- feeds ---- */

static int64_t *whole_numbers(size_t count, int64_t last)
{
    int64_t *values = calloc(count, sizeof *values);
    for (size_t i = 0; i + 1 < count; i++)
        values[i] = 100;
    values[count - 1] = last;
    return values;
}

TEST(a_feed_that_is_rejected_leaves_the_former_one_whole, .real = GB_FLOAT)
{
    static const int64_t rows[] = {3, 1, 4, 5000};
    const gb_node x = gb_input_rows_ints(t, "x", gb_shape());
    const gb_node sum = gb_sum_over(gb_to_real(x), GB_ROWS);
    gb_program *p = gb_compile(t, gb_roots(x, sum), gb_no_update);
    int64_t *first = whole_numbers(3, 7);
    assert_int_equal(gb_feed_ints(x, first, 3), GB_OK);
    free(first); /* it was copied */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t *values = whole_numbers((size_t)rows[i], INT64_C(1) << 31);
        values[0] = rows[i] == 1 ? values[0] : 5;
        assert_int_equal(gb_feed_ints(x, values, rows[i]), GB_ELIMIT);
        free(values);
        assert_rejected(t, GB_ELIMIT, "feed: 2147483648 does not fit the 32-bit integers of a float tape");
        assert_int_equal(gb_run(p), GB_OK);
        assert_values(x, 100, 100, 7);
        assert_values(sum, 207);
    }
    const int64_t limits[] = {INT32_MIN, INT32_MAX};
    assert_int_equal(gb_feed_ints(x, limits, 2), GB_OK);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(x, INT32_MIN, INT32_MAX);
}

TEST(noise_has_as_many_rows_as_were_fed_though_no_input_is_used, .seed = 4)
{
    const gb_node unused = gb_input_rows(t, "unused", gb_shape());
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape(2), GB_ROWS), sum = gb_sum_over(z, GB_ROWS);
    gb_program *each = gb_compile(t, gb_roots(z), gb_no_update),
               *all = gb_compile(t, gb_roots(sum), gb_no_update);
    double values[14];
    for (int64_t rows = 7; rows > 0; rows -= 3) {
        gb_feed(unused, (const double[7]){0}, rows);
        gb_program_set_step(each, 0);
        gb_program_set_step(all, 0);
        assert_int_equal(gb_run(each), GB_OK);
        assert_int_equal(gb_run(all), GB_OK);
        assert_int_equal(gb_value_count(z), 2 * rows);
        assert_int_equal(gb_read(z, values, 2 * (size_t)rows), GB_OK);
        double should[2] = {0};
        for (int64_t i = 0; i < 2 * rows; i++)
            should[i % 2] += values[i];
        assert_values_at(sum, 2, should, 100, "the sum", __LINE__);
    }
}

/* ---- what planning costs ---- */

TEST(a_plan_that_is_used_every_time_is_never_made_again)
{
    enum { OTHERS = 9, ROUNDS = 5, OFTEN = 50 };
    counted_memory memory = {0};
    gb_tape *tape = gb_tape_new(.threads = 1, .memory = counted(&memory));
    const gb_node y = gb_sum_over(gb_exp(gb_axis_index(tape, GB_SAMPLES)), GB_SAMPLES);
    gb_program *p = gb_compile(tape, gb_roots(y), gb_no_update);
    gb_program_set_samples(p, OFTEN);
    assert_int_equal(gb_run(p), GB_OK);
    for (int i = 0; i < OTHERS * ROUNDS; i++) {
        gb_program_set_samples(p, 1 + i % OTHERS);
        assert_int_equal(gb_run(p), GB_OK);
        const size_t asked = memory.asked;
        gb_program_set_samples(p, OFTEN);
        assert_int_equal(gb_run(p), GB_OK);
        assert_int_equal(memory.asked, asked);
    }
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
}

/* Seconds of the processor's time that it takes to compile and plan a
 * step of descent for `count` variables. */
static double time_to_plan(size_t count)
{
    gb_tape *t = gb_tape_new(.threads = 1);
    gb_node *x = calloc(count, sizeof *x), *gradient = calloc(count, sizeof *gradient), loss = gb_num(t, 0);
    gb_updates updates = gb_no_update;
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", i);
        x[i] = gb_variable(t, name, gb_shape(), gb_fill((double)i));
        loss = gb_add(loss, gb_square(x[i]));
    }
    assert_int_equal(gb_grads(loss, x, count, gradient), GB_OK);
    for (size_t i = 0; i < count; i++) {
        const gb_node next = gb_sub(x[i], gb_scale(gradient[i], 0.25));
        updates = gb_updates_join(updates, gb_assign(x[i], next));
    }
    const clock_t before = clock();
    gb_program *p = gb_compile(t, gb_roots(loss), updates);
    assert_int_equal(gb_prepare(p), GB_OK);
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(x[count - 1], (double)(count - 1) / 2);
    free(x);
    free(gradient);
    gb_tape_free(t);
    return seconds;
}

/* Linear is 8 times as long, and somewhat more since caches end; quadratic would be 64 times. The best of
 * several tries, since others use the machine too. */
TEST(planning_is_linear_in_the_number_of_variables)
{
    enum { FEW = 2000, MANY = 8 * FEW, TRIES = 5, LIMIT = 25 };
    double few = INFINITY, many = INFINITY;
    for (int i = 0; i < TRIES; i++)
        few = fmin(few, time_to_plan(FEW));
    for (int i = 0; i < TRIES && many > LIMIT * few; i++)
        many = fmin(many, time_to_plan(MANY));
    if (many > LIMIT * few)
        fail_msg("%d variables take %g s, %d take %g s", FEW, few, MANY, many);
}
