/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors without a tape to keep them, those of float tapes, and how they are written. */
#include "support/close.h"

#include "support/counted_memory.h"
#include <float.h>

#include <limits.h>
#include <stdio.h>

#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

TEST(what_is_inert_alone_has_no_tape_to_tell)
{
    const gb_node none = {0};
    assert_false(gb_node_ok(gb_exp(none)));
    assert_false(gb_node_ok(gb_clip(none, 0, 1)));
    assert_false(gb_node_ok(gb_clip(none, 1, 0)));
    assert_false(gb_node_ok(gb_scale(none, 2)));
    assert_false(gb_node_ok(gb_reshape(none, gb_shape(2))));
    assert_false(gb_node_ok(gb_transpose(none, gb_axis())));
    assert_false(gb_node_ok(gb_slice(none, 0, 0, 1)));
    assert_false(gb_node_ok(gb_concat(0, NULL, 0)));
    assert_false(gb_node_ok(gb_gather(none, 0, none)));
    assert_false(gb_node_ok(gb_scatter_add(none, 0, none, 1)));
    assert_false(gb_node_ok(gb_hide(none, GB_ROWS)));
    assert_false(gb_node_ok(gb_reveal(none, GB_ROWS)));
    assert_false(gb_node_ok(gb_sum_over(none, GB_ROWS)));
    assert_false(gb_node_ok(gb_mean(none)));
    assert_false(gb_node_ok(gb_mean_over(none, GB_ROWS)));
    assert_false(gb_node_ok(gb_logsumexp_over(none, GB_ROWS)));
    assert_false(gb_node_ok(gb_log_softmax(none, 0)));
    assert_false(gb_node_ok(gb_select(none, GB_ROWS, 0)));
    assert_false(gb_node_ok(gb_leave_one_out_mean(none, GB_ROWS)));
    assert_false(gb_node_ok(gb_inject(none, none, none)));
    assert_false(gb_node_ok(gb_gradient_only(none)));
    assert_false(gb_node_ok(gb_named(none, "x")));
    assert_false(gb_node_ok(gb_normal_noise((gb_noise){0}, gb_shape(), 0)));
    assert_int_equal(gb_print(none, stdout), GB_ENODE);
    assert_int_equal(gb_read(none, NULL, 0), GB_ENODE);
    assert_int_equal(gb_set(none, gb_fill(0)), GB_ENODE);
    assert_int_equal(gb_node_shape(none).rank, -1);
    assert_string_equal(gb_node_op_name(none), "");
}

TEST(integers_of_a_float_tape_have_32_bits, .real = GB_FLOAT)
{
    const int64_t large = INT64_C(1) << 31;
    assert_false(gb_node_ok(gb_ints(t, gb_shape(1), &large)));
    assert_rejected(t, GB_ELIMIT, "ints: 2147483648 does not fit the 32-bit integers of a float tape");
    assert_int_equal(gb_feed_ints(gb_input_ints(t, "i", gb_shape()), &large, 1), GB_ELIMIT);
    assert_rejected(t, GB_ELIMIT, "feed: 2147483648 does not fit");
}

TEST(numbers_that_are_too_large_for_a_float_tape_are_named, .real = GB_FLOAT)
{
    const double large[] = {1, (double)INFINITY, (double)FLT_MAX, 1e300};
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), v = gb_variable(t, "v", gb_shape(), gb_fill(0));
    assert_int_equal(gb_feed(x, large, 1), GB_OK);
    assert_int_equal(gb_feed(x, large, 2), GB_ELIMIT);
    assert_rejected(t, GB_ELIMIT, "feed: input x, row 1, element 1: 1e+300 is too large for a float tape");
    assert_int_equal(gb_set(v, gb_fill(-1e39)), GB_ELIMIT);
    assert_rejected(t, GB_ELIMIT, "set v: value 0 is -1e+39, too large for a float tape");
    assert_false(gb_node_ok(gb_constant(t, gb_shape(4), gb_values_of(large, 4))));
    assert_rejected(t, GB_ELIMIT, "constant : value 3 is 1e+300, too large for a float tape");
}

/* As constants that are recorded for a double: infinity is one only if it is asked for. */
TEST(a_number_that_is_too_large_for_a_float_tape_is_named, .real = GB_FLOAT)
{
    const gb_node x = gb_zeros(t, gb_shape(2));
    assert_false(gb_node_ok(gb_num(t, 1e300)));
    assert_rejected(t, GB_ELIMIT,
                    "num : value 0 is 1e+300, too large for a float tape: scale it, or make the tape");
    assert_false(gb_node_ok(gb_scale(x, -1e39)));
    assert_rejected(t, GB_ELIMIT, "num : value 0 is -1e+39, too large for a float tape");
    assert_false(gb_node_ok(gb_shift(x, 1e39)));
    assert_rejected(t, GB_ELIMIT, "num : value 0 is 1e+39, too large for a float tape");
    assert_false(gb_node_ok(gb_clip(x, 0, 1e39)));
    assert_rejected(t, GB_ELIMIT, "num : value 0 is 1e+39, too large for a float tape");
    assert_values(gb_num(t, (double)INFINITY), (double)INFINITY);
    assert_values(gb_num(t, (double)FLT_MAX), (double)FLT_MAX);
}

TEST(double_tapes_have_these_numbers)
{
    const double large = 1e300;
    assert_int_equal(gb_feed(gb_input(t, "x", gb_shape()), &large, 1), GB_OK);
    assert_true(gb_node_ok(gb_constant(t, gb_shape(1), gb_values_of(&large, 1))));
}

TEST(an_error_is_complained_of_in_one_line)
{
    char line[200] = "";
    FILE *file = tmpfile();
    assert_int_equal(gb_complain(t, file), GB_OK);
    gb_exp(gb_add(gb_zeros(t, gb_shape(2)), gb_zeros(t, gb_shape(3))));
    assert_int_equal(gb_complain(t, file), GB_ESHAPE);
    rewind(file);
    assert_true(fread(line, 1, sizeof line - 1, file) > 0);
    assert_string_equal(line, "grebe: shapes do not fit: add: (2) and (3) do not broadcast\n");
    gb_forgive(t);
    gb_variable_named(t, "a\nb\033[2J\342\200\256c\303\251");
    rewind(file);
    gb_complain(t, file);
    rewind(file);
    memset(line, 0, sizeof line);
    assert_true(fread(line, 1, sizeof line - 1, file) > 0);
    assert_non_null(strstr(line, "a\\nb\\x1b[2J\\xe2\\x80\\xaec\303\251"));
    fclose(file);
    assert_string_equal(gb_status_text((gb_status)99), "unknown status");
}

TEST(more_threads_than_a_machine_has_are_rejected)
{
    const int wrong[] = {1000000000, 1025, -1, INT_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gb_tape *const tape = test_tape(.threads = wrong[i]);
        char words[64];
        snprintf(words, sizeof words, "tape_new: .threads is %d, and must be from 0", wrong[i]);
        assert_rejected(tape, GB_EARGUMENT, words);
        assert_values(gb_exp(gb_num(tape, 0)), 1); /* forgiven, it has one thread */
    }
}

/* Forgiven, the tape has the usual ones. */
TEST(options_of_a_tape_are_held_to_what_they_may_be)
{
    const int reals[] = {5, 2, -1};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        gb_tape *const tape = test_tape(.real = (gb_real)reals[i]);
        assert_rejected(tape, GB_EARGUMENT, "and must be GB_DOUBLE (0) or GB_FLOAT (1)");
        assert_int_equal(gb_tape_real(tape), GB_DOUBLE);
        assert_values(gb_exp(gb_num(tape, 0)), 1);
    }
    const int64_t samples[] = {-1, INT64_MIN, (int64_t)INT32_MAX + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        gb_tape *const tape = test_tape(.samples = samples[i]);
        assert_rejected(tape, GB_EARGUMENT, "and must be from 1 to 2147483647 (0 means 1)");
        assert_true(gb_tape_samples(tape) == 1);
    }
    assert_true(gb_tape_samples(test_tape(.samples = INT32_MAX)) == INT32_MAX);
    counted_memory memory = {0};
    gb_memory half = counted(&memory);
    half.release = NULL;
    assert_rejected(test_tape(.memory = half), GB_EARGUMENT,
                    "tape_new: .memory has .resize but not .release: give both functions, or neither");
    half = counted(&memory);
    half.resize = NULL;
    assert_rejected(test_tape(.memory = half), GB_EARGUMENT, ".memory has .release but not .resize");
    assert_true(memory.asked == 0);
}

TEST(a_word_that_names_no_instruction_set_is_rejected)
{
    const char *const was = getenv("GREBE_ISA");
    char *const before = was ? strdup(was) : NULL;
    setenv("GREBE_ISA", "bogus", 1);
    gb_tape *const wrong = test_tape(.threads = 1);
    setenv("GREBE_ISA", "", 1);
    gb_tape *const empty = test_tape(.threads = 1);
    if (before)
        setenv("GREBE_ISA", before, 1);
    else
        unsetenv("GREBE_ISA");
    free(before);
    assert_rejected(wrong, GB_EARGUMENT, "GREBE_ISA in the environment is \"bogus\", and must be baseline");
    assert_fine(empty);
}
