/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be read when, and programs for other numbers of rows and samples. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/files.h"

TEST(before_the_first_run_any_node_can_be_read_without_a_step, .seed = 5)
{
    double first[16], again[16], ran[16];
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape(16), 0);
    const gb_node y = gb_scale(z, 2);
    const size_t before = gb_tape_length(t);
    gb_program *p = gb_compile(t, gb_roots(y), gb_no_update);
    assert_int_equal(gb_read(y, first, 16), GB_OK);
    assert_int_equal(gb_read(y, again, 16), GB_OK);
    assert_memory_equal(first, again, sizeof first);
    assert_int_equal(gb_program_step(p), 0);
    assert_int_equal(gb_tape_length(t), before);
    gb_run(p);
    gb_read(y, ran, 16);
    assert_memory_equal(first, ran, sizeof ran); /* the look was at what the first run then draws */
}

TEST(after_a_run_a_node_that_no_program_kept_is_rejected)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2));
    const gb_node kept = gb_sum(x), other = gb_named(gb_exp(x), "other");
    gb_run(gb_compile(t, gb_roots(kept), gb_no_update));
    assert_true(isnan(gb_value(gb_sum(other))));
    assert_rejected(t, GB_EREAD, "make it a root");
    assert_int_equal(gb_value_count(other), 0);
    assert_rejected(t, GB_EREAD, "no program that has run keeps exp other");
    assert_values(kept, 3);
    assert_values(x, 1, 2);
    assert_values(gb_num(t, 5), 5);
    assert_fine(t);
}

TEST(reading_never_advances_the_noise)
{
    double a[3], b[3];
    for (int reads = 0; reads < 2; reads++) {
        gb_tape *const tape = test_tape(.seed = 5);
        const gb_node z = gb_normal_noise(gb_stream(tape, "z"), gb_shape(), 0);
        gb_program *p = gb_compile(tape, gb_roots(z), gb_no_update);
        for (int i = 0; i < 3; i++) {
            gb_run(p);
            for (int j = 0; j < 5 * reads; j++)
                gb_value(z);
            (reads ? b : a)[i] = gb_value(z);
        }
    }
    assert_memory_equal(a, b, sizeof a);
}

TEST(the_latest_run_counts_where_two_programs_keep_a_node)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)), y = gb_scale(x, 10);
    gb_program *looks = gb_compile(t, gb_roots(y), gb_no_update),
               *steps = gb_compile(t, gb_roots(y), gb_assign(x, gb_shift(x, 1)));
    gb_run(steps);
    assert_values(y, 10);
    gb_run(looks);
    assert_values(y, 20);
    gb_run(steps);
    assert_values(y, 20);
    assert_values(x, 3);
    gb_program_free(steps);
    assert_values(y, 20);
    gb_run(looks);
    assert_values(y, 30);
}

TEST(a_short_last_batch_is_planned_for)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)),
                  w = gb_variable(t, "w", gb_shape(2), GB_VALUES(1, 10));
    const gb_node each = gb_sum(gb_mul(x, w)), mean = gb_mean_over(each, GB_ROWS),
                  count = gb_axis_size(t, GB_ROWS);
    gb_program *p = gb_compile(t, gb_roots(each, mean, count), gb_assign(w, gb_add(w, gb_grad(mean, w))));
    const double values[] = {1, 2, 3, 4, 5, 6};
    gb_feed(x, values, 3);
    assert_int_equal(gb_run(p), GB_OK); /* w += the mean of the rows, (3, 4) */
    assert_values(each, 21, 43, 65);
    assert_values(mean, 43);
    assert_values(count, 3);
    gb_feed(x, values, 1);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(each, 1 * 4 + 2 * 14);
    assert_values(mean, 32);
    assert_values(w, 5, 16);
    gb_feed(x, values, 3);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(each, 37, 79, 121);
    gb_feed(x, values, 0);
    assert_int_equal(gb_run(p), GB_ENONFINITE); /* a mean of nothing */
    gb_forgive(t);
    assert_values(w, 8, 20);
}

TEST(the_number_of_samples_can_change_between_runs, .seed = 2)
{
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape(3), GB_SAMPLES);
    const gb_node mean = gb_mean_over(z, GB_SAMPLES), square = gb_mean_over(gb_square(z), GB_SAMPLES);
    gb_program *p = gb_compile(t, gb_roots(z, mean, square), gb_no_update);
    gb_run(p);
    assert_int_equal(gb_value_count(z), 3);
    double one[3], values[3];
    gb_read(z, one, 3);
    gb_read(mean, values, 3);
    assert_memory_equal(one, values, sizeof one);
    gb_program_set_samples(p, 1000);
    gb_program_set_step(p, 0);
    assert_int_equal(gb_run(p), GB_OK);
    assert_int_equal(gb_value_count(z), 3000);
    double *all = calloc(3000, sizeof *all);
    gb_read(z, all, 3000);
    assert_memory_equal(all, one, sizeof one); /* the first sample is what it was */
    free(all);
    gb_read(square, values, 3);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(values[i] - 1) < 6 * sqrt(2. / 1000));
    gb_program_set_samples(p, 1);
    gb_program_set_step(p, 0);
    gb_run(p);
    gb_read(z, values, 3);
    assert_memory_equal(values, one, sizeof one);
}

/* A buffer that ends with its last element: a sanitizer sees whoever reads on. */
static void *exactly(const void *values, size_t bytes)
{
    void *buffer = malloc(bytes);
    return memcpy(buffer, values, bytes);
}

TEST(borrowed_values_are_read_and_not_a_byte_more)
{
    for (int real = 0; real < 2; real++)
        for (int64_t rows = 1; rows < 70; rows++) {
            float singles[3 * 70];
            double doubles[3 * 70], sum = 0;
            for (int i = 0; i < 3 * rows; i++) {
                singles[i] = (float)i / 8;
                doubles[i] = (double)i / 8;
                sum += i / 8.;
            }
            const size_t bytes = (size_t)(3 * rows) * (real ? sizeof *singles : sizeof *doubles);
            void *buffer = exactly(real ? (const void *)singles : (const void *)doubles, bytes);
            gb_tape *const tape = test_tape(.real = real ? GB_FLOAT : GB_DOUBLE);
            const gb_node x = gb_input_rows(tape, "x", gb_shape(3));
            const gb_node total = gb_sum_over(gb_sum(gb_scale(x, 2)), GB_ROWS),
                          part = gb_sum_over(gb_slice(x, 0, 1, 3), GB_ROWS);
            gb_program *p = gb_compile(tape, gb_roots(total, part, x), gb_no_update);
            gb_feed_borrowed(x, buffer, rows);
            assert_int_equal(gb_run(p), GB_OK);
            assert_close(gb_value(total), 2 * sum, 0);
            assert_int_equal(gb_value_count(x), 3 * rows);
            free(buffer);
        }
}

TEST(borrowed_values_may_change_and_move_between_runs)
{
    const gb_node x = gb_input(t, "x", gb_shape(2)), y = gb_scale(x, 3);
    gb_program *p = gb_compile(t, gb_roots(y), gb_no_update);
    double here[] = {1, 2}, there[] = {5, 6};
    gb_feed_borrowed(x, here, 1);
    gb_run(p);
    assert_values(y, 3, 6);
    here[1] = 4;
    gb_run(p);
    assert_values(y, 3, 12);
    gb_feed_borrowed(x, there, 1);
    gb_run(p);
    assert_values(y, 15, 18);
    gb_feed(x, here, 1); /* copied from here on */
    here[0] = 100;
    gb_run(p);
    assert_values(y, 3, 12);
}

TEST(integers_are_fed_borrowed_in_the_tapes_own_width)
{
    const int64_t wide[] = {2, 0, 1};
    const int32_t narrow[] = {2, 0, 1};
    for (int real = 0; real < 2; real++) {
        gb_tape *const tape = test_tape(.real = real ? GB_FLOAT : GB_DOUBLE);
        const gb_node i = gb_input_rows_ints(tape, "i", gb_shape());
        const gb_node x = gb_variable(tape, "x", gb_shape(3), GB_VALUES(10, 20, 30)), y = gb_gather(x, 0, i);
        gb_program *p = gb_compile(tape, gb_roots(y), gb_no_update);
        gb_feed_borrowed(i, real ? (const void *)narrow : (const void *)wide, 3);
        assert_int_equal(gb_run(p), GB_OK);
        assert_values(y, 30, 10, 20);
        gb_feed_ints(i, (const int64_t[]){1, 3},
                     2); /* 3 is out of range: NaN there, and the program only looks */
        assert_int_equal(gb_run(p), GB_OK);
        assert_values(y, 20, NAN);
    }
}

TEST(a_root_is_read_by_its_number, .seed = 1)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(3, 4));
    gb_program *p = gb_compile(t, gb_roots(gb_neg(x), gb_exp(gb_neg(x))), gb_no_update);
    double values[2];
    assert_int_equal(gb_read_root(p, 0, values), GB_EREAD); /* before a run */
    gb_forgive(t);
    assert_int_equal(gb_run(p), GB_OK);
    assert_int_equal(gb_read_root(p, 0, values), GB_OK);
    assert_true(values[0] == -3 && values[1] == -4);
    assert_int_equal(gb_read_root(p, 2, values), GB_EARGUMENT);
    assert_string_equal(gb_error_text(t), "read_root: there is no root 2; the program has 2");
    gb_forgive(t);
    assert_int_equal(gb_read_root(p, 0, NULL), GB_EARGUMENT);
    gb_forgive(t);
    assert_int_equal(gb_read_root(NULL, 0, values), GB_EPROGRAM);
    gb_tape_reset(t);
    assert_int_equal(gb_read_root(p, 0, values), GB_EPROGRAM);
    assert_non_null(strstr(gb_error_text(t), "compiled before gb_tape_reset"));
}

TEST(a_full_disk_is_an_error_of_what_is_printed)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(3, 4)), y = gb_exp(x);
    gb_program *p = gb_compile(t, gb_roots(y), gb_no_update);
    FILE *const full = file_on_full_disk();
    assert_int_equal(gb_print(y, full), GB_ESYSTEM);
    gb_forgive(t);
    clearerr(full);
    assert_int_equal(gb_tape_dump(t, GB_DUMP_TEXT, full), GB_ESYSTEM);
    clearerr(full);
    assert_int_equal(gb_program_dump(p, GB_DUMP_TEXT, full), GB_ESYSTEM);
    fclose(full);
}
