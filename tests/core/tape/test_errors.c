/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors without a tape to keep them, those of float tapes, and how they are written. */
#include "support/close.h"

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
    fclose(file);
    assert_string_equal(gb_status_text((gb_status)99), "unknown status");
}
