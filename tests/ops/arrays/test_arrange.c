/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes of size 1, flips, repeats, stacks, and arrays of numbers: values and rejections. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matrix.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "ops/spread.h"
#include "ops/take.h"
#include "support/counted_memory.h"
#include "support/misuse.h"
#include "support/parts.h"

static void assert_shape_at(gb_node x, gb_shape shape, int line)
{
    char is[GB_SHAPE_TEXT], should[GB_SHAPE_TEXT];
    if (!gb_shape_same(gb_node_shape(x), shape))
        fail_msg("line %d: the shape is %s, not %s", line, gb_shape_text(gb_node_shape(x), is),
                 gb_shape_text(shape, should));
}
#define assert_shape(x, ...) assert_shape_at((x), gb_shape(__VA_ARGS__), __LINE__)

TEST(an_axis_of_size_1_comes_and_goes)
{
    const gb_node m = matrix_of(t);
    assert_shape(gb_expand(m, 0), 1, 2, 3);
    assert_shape(gb_expand(m, 1), 2, 1, 3);
    assert_shape(gb_expand(m, -1), 2, 3, 1);
    assert_shape(gb_expand(m, -3), 1, 2, 3);
    assert_shape(gb_expand(gb_num(t, 1), 0), 1);
    assert_shape(gb_squeeze(gb_expand(m, 1), 1), 2, 3);
    assert_shape(gb_squeeze(gb_expand(m, -1), -1), 2, 3);
    assert_values(gb_squeeze(gb_expand(m, 1), 1), 1, 2, 3, 4, 5, 6);
    const gb_node ints = gb_ints(t, gb_shape(2), (const int64_t[]){3, 4});
    assert_int_equal(gb_node_type(gb_expand(ints, 0)), GB_TYPE_INT);
    assert_fine(t);
}

TEST(at_is_an_element_or_a_row)
{
    const gb_node m = matrix_of(t);
    assert_shape(gb_at(m, 0), 3);
    assert_values(gb_at(m, 0), 1, 2, 3);
    assert_values(gb_at(m, -1), 4, 5, 6);
    assert_values(gb_at(m, -2), 1, 2, 3);
    assert_shape(gb_at(m, 1, 2), );
    assert_values(gb_at(m, 1, 0), 4);
    assert_values(gb_at(m, -2, -1), 3);
    assert_values(gb_at(gb_at(m, 1), 1), 5);
    assert_shape(gb_at(gb_expand(m, 0), 0, 1), 3);
    assert_true(gb_node_same(gb_at_of(m, 0, NULL), m));
    assert_values(gb_grad(gb_mul(gb_at(m, 0, 1), gb_at(m, 1, 1)), m), 0, 5, 0, 0, 2, 0);
    const gb_node ints = gb_ints(t, gb_shape(2), (const int64_t[]){3, 4});
    assert_int_equal(gb_node_type(gb_at(ints, 1)), GB_TYPE_INT);
    assert_fine(t);
}

TEST(a_flip_is_the_other_way_round)
{
    const gb_node m = matrix_of(t);
    assert_values(gb_flip(m, 0), 4, 5, 6, 1, 2, 3);
    assert_values(gb_flip(m, -1), 3, 2, 1, 6, 5, 4);
    assert_values(gb_flip(gb_flip(m, 0), 1), 6, 5, 4, 3, 2, 1);
    assert_values(gb_flip(gb_flip(m, 0), 0), 1, 2, 3, 4, 5, 6);
    assert_values(gb_transpose(gb_flip(m, 1), gb_axis()), 3, 6, 2, 5, 1, 4);
    assert_values(gb_flip(gb_slice_step(m, 1, 0, 3, 2), 1), 3, 1, 6, 4);
    assert_values(gb_slice_step(gb_flip(m, 1), 1, 1, 3, 1), 2, 1, 5, 4);
    assert_values(gb_reshape(gb_flip(m, 1), gb_shape(6)), 3, 2, 1, 6, 5, 4);
    assert_int_equal(gb_value_count(gb_flip(gb_zeros(t, gb_shape(2, 0)), 1)), 0);
    assert_fine(t);
}

/* Longer than a block, so that loops read it backwards. */
TEST(a_long_flip_is_read_backwards)
{
    enum { COUNT = 5000 };
    static double values[COUNT], is[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    const gb_node x = gb_variable(t, "x", gb_shape(COUNT), gb_values_of(values, COUNT));
    assert_int_equal(gb_read(gb_add(gb_flip(x, 0), x), is, COUNT), GB_OK);
    for (int i = 0; i < COUNT; i++)
        assert_true(is[i] == COUNT - 1);
    assert_int_equal(gb_read(gb_grad(gb_sum(gb_mul(gb_flip(x, 0), x)), x), is, COUNT), GB_OK);
    for (int i = 0; i < COUNT; i++)
        assert_true(is[i] == 2 * (COUNT - 1 - i));
}

TEST(repeats_stand_side_by_side)
{
    const gb_node m = matrix_of(t);
    assert_values(gb_repeat(m, 1, 2), 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6);
    assert_values(gb_repeat(m, 0, 2), 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6);
    assert_shape(gb_repeat(m, 0, 0), 0, 3);
    assert_fine(t);
}

TEST(a_stack_has_its_parts_along_a_new_axis)
{
    const gb_node a = gb_constant(t, gb_shape(2), GB_VALUES(1, 2)),
                  b = gb_constant(t, gb_shape(2), GB_VALUES(3, 4));
    assert_values(gb_stack(2, (gb_node[]){a, b}, 0), 1, 2, 3, 4);
    assert_values(gb_stack(2, (gb_node[]){a, b}, 1), 1, 3, 2, 4);
    assert_values(gb_stack(2, (gb_node[]){a, b}, -1), 1, 3, 2, 4);
    assert_shape(gb_stack(3, (gb_node[]){a, b, a}, -2), 3, 2);
    assert_values(gb_stack(2, (gb_node[]){gb_num(t, 7), gb_num(t, 8)}, 0), 7, 8);
    assert_fine(t);
}

TEST(numbers_are_what_they_are_called)
{
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        assert_values(gb_arange(tape, 4), 0, 1, 2, 3);
        assert_values(gb_arange(tape, 1), 0);
        assert_shape(gb_arange(tape, 0), 0);
        assert_values(gb_eye(tape, 3), 1, 0, 0, 0, 1, 0, 0, 0, 1);
        assert_values(gb_eye(tape, 1), 1);
        assert_shape(gb_eye(tape, 0), 0, 0);
        const gb_node places = gb_ints(tape, gb_shape(2), (const int64_t[]){2, 0});
        assert_values(gb_one_hot(places, 3), 0, 0, 1, 1, 0, 0);
        assert_values(gb_one_hot(gb_ints(tape, gb_shape(), (const int64_t[]){1}), 2), 0, 1);
        assert_fine(tape);
    }
}

TEST(one_hot_of_rows_is_for_each_row_and_rejects_what_is_no_place)
{
    const gb_node label = gb_input_rows_ints(t, "label", gb_shape());
    const gb_node hot = gb_one_hot(label, 3), total = gb_sum(gb_sum_over(hot, GB_ROWS));
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(0));
    gb_program *look = gb_compile(t, gb_roots(hot), gb_no_update),
               *train = gb_compile(t, gb_roots(total), gb_assign(w, total));
    gb_feed_ints(label, (const int64_t[]){1, 0}, 2);
    assert_int_equal(gb_run(look), GB_OK);
    assert_values(hot, 0, 1, 0, 1, 0, 0);
    for (int64_t wrong = -1; wrong <= 3; wrong += 4) {
        gb_feed_ints(label, (const int64_t[]){1, wrong}, 2);
        assert_int_equal(gb_run(train), GB_ENONFINITE);
        gb_forgive(t);
    }
}

/* ---- sizes that are large, and arrays that are empty ---- */

TEST(a_step_may_be_longer_than_the_axis)
{
    const gb_node x = gb_variable(t, "x", gb_shape(5), GB_VALUES(1, 2, 3, 4, 5)), m = matrix_of(t);
    const int64_t steps[] = {5, 6, INT64_MAX / 2, INT64_MAX - 3, INT64_MAX};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const gb_node first = gb_slice_step(x, 0, 0, 5, steps[i]);
        assert_values(first, 1);
        assert_values(gb_grad(gb_sum(first), x), 1, 0, 0, 0, 0);
        assert_values(gb_slice_step(x, 0, 4, 5, steps[i]), 5);
        assert_shape(gb_slice_step(x, 0, 3, 3, steps[i]), 0);
        assert_values(gb_slice_step(gb_flip(m, 1), 1, 1, 3, steps[i]), 2, 5);
    }
    assert_fine(t);
}

/* Their other axes cost neither time nor room. */
TEST(empty_arrays_are_free)
{
    const int64_t huge = (int64_t)1 << 45;
    const gb_node tall = gb_zeros(t, gb_shape(huge, 0)), wide = gb_zeros(t, gb_shape(0, huge));
    const gb_node none = gb_ints(t, gb_shape(0), NULL), places = gb_ints(t, gb_shape(1, 0), NULL);
    const gb_node empty[] = {gb_sort(tall, 1),
                             gb_sort(tall, 0),
                             gb_sort(wide, 1),
                             gb_cumsum(tall, 1),
                             gb_cumsum(tall, 0),
                             gb_cumsum(wide, 0),
                             gb_cumsum(wide, 1),
                             gb_concat(2, (const gb_node[]){tall, tall}, 0),
                             gb_concat(2, (const gb_node[]){tall, tall}, 1),
                             gb_concat(2, (const gb_node[]){wide, wide}, 0),
                             gb_gather(tall, 0, none),
                             gb_gather(tall, 1, none),
                             gb_take_along(tall, places, 1),
                             gb_scatter_along(tall, places, 1, 0),
                             gb_tril(wide, 0),
                             gb_triu(wide, 0),
                             gb_tril(tall, 3),
                             gb_triu(tall, -3),
                             gb_diag(gb_zeros(t, gb_shape(0, 1 << 20))),
                             gb_one_hot(none, huge),
                             gb_softmax(tall, 0),
                             gb_sum_along(tall, gb_axis(0)),
                             gb_prod_along(tall, gb_axis(0)),
                             gb_flip(tall, 0)};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        if (!gb_node_ok(empty[i]))
            fail_msg("array %zu: %s", i, gb_error_text(t));
        assert_int_equal(gb_value_count(empty[i]), 0);
        const gb_node total =
            gb_sum(gb_node_type(empty[i]) == GB_TYPE_REAL ? empty[i] : gb_to_real(empty[i]));
        if (gb_value(total) != 0)
            fail_msg("array %zu sums to %g: %s", i, gb_value(total), gb_error_text(t));
    }
    assert_shape(gb_diag(gb_zeros(t, gb_shape(0, 7))), 0, 7, 7);
    assert_shape(gb_one_hot(none, 7), 0, 7);
    assert_shape(gb_one_hot(none, 0), 0, 0);
    assert_fine(t);
}

/* ---- misuse ---- */

MISUSE_BY(concat_beyond_all_sizes, GB_ELIMIT, "assemble: the shape is invalid")
{
    enum { PARTS = 129 };
    const gb_node part = gb_zeros(w->t, gb_shape(INT64_MAX / 64, 0));
    gb_node parts[PARTS];
    for (int i = 0; i < PARTS; i++)
        parts[i] = part;
    assert_false(gb_node_ok(gb_concat(PARTS, parts, 0)));
}

MISUSE(spread_beyond_all_places, GB_EARGUMENT, "do not fit an axis of",
       gb_spread(w->vector, gb_site_axis(w->t, "far", 9), INT64_MAX))
MISUSE_BY(more_axes_than_a_list_has, GB_ESHAPE, "sum: more axes than an array can have")
{
    const gb_axis_list list = {.count = GB_MAX_RANK + 1, .axis = {0, 1, 2, 3, 4, 5}};
    assert_false(gb_node_ok(gb_sum_along(gb_zeros(w->t, gb_shape(1, 1, 1, 1, 1, 1)), list)));
}

MISUSE(expand_too_far, GB_ESHAPE, "expand: shape (2×3) cannot have a new axis 3", gb_expand(w->matrix, 3))
MISUSE(expand_before_the_first, GB_ESHAPE, "cannot have a new axis -4", gb_expand(w->matrix, -4))
MISUSE(expand_to_seven_axes, GB_ESHAPE, "it has as many as there can be",
       gb_expand(gb_zeros(w->t, gb_shape(1, 1, 1, 1, 1, 1)), 0))
MISUSE(expand_of_an_old_node, GB_ENODE, "expand: an argument was recorded before gb_tape_reset",
       gb_expand(w->old, 0))
MISUSE(squeeze_of_a_longer_axis, GB_ESHAPE, "squeeze: axis 1 of shape (2×3) does not have size 1",
       gb_squeeze(w->matrix, 1))
MISUSE(squeeze_of_no_axis, GB_ESHAPE, "squeeze: axis 0 is not one of shape ()", gb_squeeze(w->scalar, 0))
MISUSE(at_beyond_the_end, GB_ESHAPE, "at: 2 is not a place of axis 0 of size 2", gb_at(w->matrix, 2))
MISUSE(at_before_the_first, GB_ESHAPE, "at: -4 is not a place of axis 1 of size 3", gb_at(w->matrix, 0, -4))
MISUSE(at_with_too_many_numbers, GB_ESHAPE, "at: 2 numbers do not index shape (3)", gb_at(w->vector, 0, 0))
MISUSE(at_in_a_scalar, GB_ESHAPE, "at: 1 numbers do not index shape ()", gb_at(w->scalar, 0))
MISUSE(at_of_a_number_that_would_overflow, GB_ESHAPE, "is not a place of axis 0 of size 3",
       gb_at(w->vector, INT64_MIN))
MISUSE(at_without_numbers, GB_ESHAPE, "at: 0 numbers do not index", gb_at_of(w->vector, 1, NULL))
MISUSE(at_of_an_old_node, GB_ENODE, "at: an argument was recorded before gb_tape_reset", gb_at(w->old, 0))
MISUSE(flip_of_no_axis, GB_ESHAPE, "flip: axis 2 is not one of shape (2×3)", gb_flip(w->matrix, 2))
MISUSE(repeat_of_no_axis, GB_ESHAPE, "repeat: axis 2 is not one of shape (2×3)", gb_repeat(w->matrix, 2, 2))
MISUSE(repeat_less_than_never, GB_EARGUMENT, "repeat: -1 times is negative", gb_repeat(w->matrix, 0, -1))
MISUSE(repeat_too_often, GB_ELIMIT, "shape", gb_repeat(w->matrix, 0, INT64_MAX / 2))
MISUSE(stack_of_other_shapes, GB_ESHAPE, "stack: part 1 has shape (2×3), part 2 (3)",
       gb_stack(2, (gb_node[]){w->matrix, w->vector}, 0))
MISUSE(stack_too_far, GB_ESHAPE, "stack: shape (3) cannot have a new axis 2",
       gb_stack(2, (gb_node[]){w->vector, w->vector}, 2))
MISUSE(stack_of_integers, GB_ETYPE, "argument 1 is not real", gb_stack(2, (gb_node[]){w->ints, w->ints}, 0))
MISUSE(stack_with_an_inert_part, GB_ENODE, "is no node", gb_stack(2, (gb_node[]){w->vector, {0}}, 0))
MISUSE(stack_with_an_inert_first_part, GB_ENODE, "stack: part 1 is no node",
       gb_stack(2, (gb_node[]){{0}, w->vector}, 0))
MISUSE(stack_with_an_old_part, GB_ENODE, "before gb_tape_reset",
       gb_stack(2, (gb_node[]){w->old, w->vector}, 0))
MISUSE(arange_of_a_negative_number, GB_EARGUMENT, "arange: -1 is negative or too large", gb_arange(w->t, -1))
MISUSE(eye_of_a_negative_number, GB_EARGUMENT, "eye: -1 is negative or too large", gb_eye(w->t, -1))
MISUSE(eye_of_a_number_too_large, GB_EARGUMENT, "is negative or too large", gb_eye(w->t, INT64_C(1) << 40))
MISUSE(one_hot_of_reals, GB_ETYPE, "one_hot: argument 1 is not made of integers", gb_one_hot(w->vector, 3))
MISUSE(one_hot_of_a_place_too_far, GB_EARGUMENT, "one_hot: index 3 is not below the size 3",
       gb_one_hot(gb_ints(w->t, gb_shape(2), (const int64_t[]){0, 3}), 3))
MISUSE(one_hot_of_a_negative_place, GB_EARGUMENT, "one_hot: index -1",
       gb_one_hot(gb_ints(w->t, gb_shape(1), (const int64_t[]){-1}), 3))
MISUSE(one_hot_of_a_negative_size, GB_EARGUMENT, "one_hot: -2 is negative", gb_one_hot(w->ints, -2))
MISUSE(one_hot_of_an_old_node, GB_ENODE, "one_hot: an argument was recorded before gb_tape_reset",
       gb_one_hot(w->old, 3))

/* ---- memory ---- */

static gb_status arrange(gb_tape *t, const void *unused)
{
    (void)unused;
    const gb_node x = gb_arange(t, 600), hot = gb_one_hot(gb_ints(t, gb_shape(), &(int64_t){1}), 40);
    const gb_node s = gb_stack(2, (gb_node[]){x, gb_flip(x, 0)}, 0);
    const double value = gb_value(gb_add(gb_sum(s), gb_sum(gb_add(hot, gb_sum(gb_eye(t, 20))))));
    if (gb_error(t) == GB_OK)
        assert_true(value == 2 * 300 * 599 + 1 + 40 * 20);
    return gb_error(t);
}

TEST(without_memory_recording_says_so)
{
    assert_outlives_lack_of_memory(arrange, NULL, "arrange", 0, (gb_tape_options){0});
}

TEST(without_a_tape_nothing_is_recorded)
{
    const gb_node none = {0};
    assert_false(gb_node_ok(gb_arange(NULL, 3)));
    assert_false(gb_node_ok(gb_eye(NULL, 3)));
    assert_false(gb_node_ok(gb_stack(0, NULL, 0)));
    assert_false(gb_node_ok(gb_stack(1, &none, 0)));
    assert_false(gb_node_ok(gb_expand(none, 0)));
    assert_false(gb_node_ok(gb_one_hot(none, 2)));
    assert_false(gb_node_ok(gb_repeat(none, 0, 2)));
}
