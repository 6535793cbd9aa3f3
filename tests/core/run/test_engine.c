/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes, names, what is known of a node, and how values are printed. */
#include "support/close.h"

#include <stdio.h>
#include <string.h>

#include "core/gradient.h"
#include "core/version.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/reduce.h"

/* ---- shapes ---- */

TEST(shapes_count_compare_and_write_themselves)
{
    char text[GB_SHAPE_TEXT];
    assert_int_equal(gb_shape_count(gb_shape()), 1);
    assert_int_equal(gb_shape_count(gb_shape(2, 3)), 6);
    assert_int_equal(gb_shape_count(gb_shape(2, 0, 3)), 0);
    assert_string_equal(gb_shape_text(gb_shape(), text), "()");
    assert_string_equal(gb_shape_text(gb_shape(3), text), "(3)");
    assert_string_equal(gb_shape_text(gb_shape(2, 3, 4), text), "(2×3×4)");
    assert_true(gb_shape_same(gb_shape(2, 1), gb_shape(2, 1)));
    assert_false(gb_shape_same(gb_shape(2, 1), gb_shape(2)));
    const int64_t large = INT64_MAX / 64;
    assert_int_equal(gb_shape_of(1, &large).rank, 1);
    assert_true(strlen(gb_shape_text(gb_shape(large, 1, 1, 1, 1, 1), text)) < GB_SHAPE_TEXT);
}

TEST(shapes_that_cannot_be_are_invalid)
{
    char text[GB_SHAPE_TEXT];
    assert_int_equal(gb_shape(-1).rank, -1);
    assert_int_equal(gb_shape(1, 1, 1, 1, 1, 1, 1).rank, -1);
    assert_int_equal(gb_shape_of(-1, NULL).rank, -1);
    assert_int_equal(gb_shape(INT64_MAX / 64 + 1).rank, -1);
    assert_int_equal(gb_shape(1 << 20, 1 << 20, 1 << 20).rank, -1);
    assert_int_equal(gb_shape(0, INT64_MAX / 2, 4).rank, -1); /* an empty axis hides no overflow */
    assert_int_equal(gb_shape_count(gb_shape(-1)), 0);
    assert_string_equal(gb_shape_text(gb_shape(-1), text), "(invalid)");
}

TEST(copies_of_equal_shapes_are_equal_bytes)
{
    gb_shape dirty, a, b;
    memset(&dirty, 0x5a, sizeof dirty);
    dirty.rank = 2;
    dirty.size[0] = 3;
    dirty.size[1] = 4;
    gb_shape_copy(&a, dirty);
    gb_shape_copy(&b, gb_shape(3, 4));
    assert_memory_equal(&a, &b, sizeof a);
}

TEST(broadcasting_is_numpys)
{
    gb_shape out;
    assert_true(gb_shape_broadcast(gb_shape(2, 1, 3), gb_shape(4, 1), &out));
    assert_true(gb_shape_same(out, gb_shape(2, 4, 3)));
    assert_true(gb_shape_broadcast(gb_shape(), gb_shape(5), &out));
    assert_true(gb_shape_same(out, gb_shape(5)));
    assert_true(gb_shape_broadcast(gb_shape(1, 3), gb_shape(0, 1), &out));
    assert_true(gb_shape_same(out, gb_shape(0, 3)));
    assert_false(gb_shape_broadcast(gb_shape(2), gb_shape(3), &out));
    assert_false(gb_shape_broadcast(gb_shape(0), gb_shape(2), &out));
    assert_false(gb_shape_broadcast(gb_shape(-1), gb_shape(2), &out));
}

/* ---- nodes ---- */

TEST(a_node_says_what_it_is, .real = GB_FLOAT)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_fill(1)), y = gb_add(x, x);
    assert_int_equal(gb_tape_real(t), GB_FLOAT);
    assert_int_equal(gb_tape_length(t), 2);
    assert_string_equal(gb_node_op_name(y), "add");
    assert_string_equal(gb_node_name(y), "");
    assert_string_equal(gb_node_name(x), "x");
    char name[] = "twice";
    const gb_node named = gb_named(y, name);
    name[0] = 'T'; /* names are copied */
    assert_true(gb_node_same(named, y));
    assert_false(gb_node_same(x, y));
    assert_string_equal(gb_node_name(y), "twice");
    assert_int_equal(gb_node_type(gb_less(x, y)), GB_TYPE_BOOL);
    assert_int_equal(gb_node_type(gb_ints(t, gb_shape(1), (const int64_t[]){4})), GB_TYPE_INT);
    assert_int_equal(gb_node_arguments(y), 2);
    assert_true(gb_node_same(gb_node_argument(y, 1), x));
    assert_false(gb_node_ok(gb_node_argument(y, 2)));
    assert_ptr_equal(gb_node_op(y), gb_op_find("add"));
}

TEST(every_operation_of_the_list_is_found_by_its_name_and_says_what_it_is)
{
    size_t count;
    const gb_op *const *ops = gb_ops(&count);
    assert_true(count > 50);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(gb_op_find(ops[i]->name), ops[i]);
        assert_int_equal(ops[i]->size, sizeof(gb_op));
        assert_true(ops[i]->formula && *ops[i]->formula);
    }
    assert_null(gb_op_find("no such operation"));
    assert_null(gb_op_find(NULL));
    assert_true(strlen(gb_version()) >= 5);
}

TEST(numbers_known_at_recording_are_recognised)
{
    double value = 0;
    assert_true(gb_is_uniform(gb_num(t, 3), &value));
    assert_close(value, 3, 0);
    assert_true(gb_is_uniform(gb_ones(t, gb_shape(4, 5)), &value));
    assert_close(value, 1, 0);
    assert_true(gb_is_uniform(gb_reshape(gb_zeros(t, gb_shape(6)), gb_shape(2, 3)), NULL));
    assert_false(gb_is_uniform(gb_constant(t, gb_shape(2), GB_VALUES(1, 1)), NULL));
    assert_false(gb_is_uniform(gb_variable(t, "x", gb_shape(), gb_fill(1)), NULL));
    assert_false(gb_is_uniform((gb_node){0}, NULL));
    int64_t whole = 0;
    const gb_node ints = gb_ints(t, gb_shape(2), (const int64_t[]){5, -6});
    assert_true(gb_constant_int(ints, 1, &whole));
    assert_int_equal(whole, -6);
    assert_false(gb_constant_int(ints, 2, &whole));
    assert_false(gb_constant_int(gb_num(t, 1), 0, &whole));
    assert_values(ints, 5, -6);
}

TEST(an_operation_that_changes_nothing_is_not_recorded)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2, 3), gb_fill(2));
    assert_true(gb_node_same(gb_mul(x, gb_num(t, 1)), x));
    assert_true(gb_node_same(gb_mul(gb_ones(t, gb_shape(3)), x), x));
    assert_true(gb_node_same(gb_sub(x, gb_num(t, 0)), x));
    assert_true(gb_node_same(gb_div(x, gb_num(t, 1)), x));
    assert_true(gb_node_same(gb_reshape(x, gb_shape(2, 3)), x));
    assert_true(gb_node_same(gb_broadcast(x, gb_shape(2, 3)), x));
    assert_true(gb_node_same(gb_transpose(x, gb_axis(0, 1)), x));
    assert_false(gb_node_same(gb_mul(gb_ones(t, gb_shape(4, 2, 3)), x), x)); /* another shape */
    assert_false(gb_node_same(gb_mul(x, gb_axis_size(t, GB_SAMPLES)), x));
}

TEST(what_is_added_must_not_change_the_sign_of_zero)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(-0.0));
    assert_false(signbit(gb_value(gb_add(x, gb_num(t, 0)))));
    assert_true(signbit(gb_value(gb_add(x, gb_num(t, -0.0)))));
    assert_true(signbit(gb_value(gb_sub(x, gb_num(t, 0)))));
}

TEST(variables_outlive_a_reset_with_their_values)
{
    for (int i = 0; i < 3; i++) {
        const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2));
        assert_values(gb_variable_named(t, "x"), 1 * pow(2, i), 2 * pow(2, i));
        gb_run(gb_compile(t, gb_roots(x), gb_assign(x, gb_scale(x, 2))));
        assert_int_equal(gb_set(x, GB_VALUES(pow(2, i + 1), pow(2, i + 2))), GB_OK);
        gb_tape_reset(t);
        assert_false(gb_node_ok(x));
    }
}

/* ---- printing ---- */

static void assert_prints(gb_node node, const char *should)
{
    char text[2000] = "";
    FILE *file = tmpfile();
    assert_int_equal(gb_print(node, file), GB_OK);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, should);
}

TEST(values_are_printed_as_numpy_would, .samples = 2)
{
    const gb_node m = gb_variable(t, "m", gb_shape(2, 3), GB_VALUES(1, 2.5, -3, 1e10, 1. / 3, NAN));
    assert_prints(gb_num(t, 0.5), "constant () = 0.5\n");
    assert_prints(m, "m (2×3) = [[1, 2.5, -3],\n [1e+10, 0.333333, nan]]\n");
    assert_prints(gb_named(gb_exp(gb_num(t, 0)), "e"), "e () = 1\n");
    assert_prints(gb_greater(m, gb_num(t, 1)),
                  "greater (2×3) = [[false, true, false],\n [true, false, false]]\n");
    assert_prints(gb_mul(gb_axis_index(t, GB_SAMPLES), gb_constant(t, gb_shape(2), GB_VALUES(1, 2))),
                  "mul (2) for each of samples = [[0, 0],\n [1, 2]]\n");
    assert_prints(gb_zeros(t, gb_shape(0)), "broadcast (0) = []\n");
    assert_prints(gb_zeros(t, gb_shape(2, 0)), "broadcast (2×0) = [[],\n []]\n");
    assert_prints(gb_zeros(t, gb_shape(1, 2, 1)), "broadcast (1×2×1) = [[[0],\n  [0]]]\n");
    assert_prints(gb_zeros(t, gb_shape(2000)), "broadcast (2000) = [0, 0, 0, …, 0, 0, 0]\n");
}
