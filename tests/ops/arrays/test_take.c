/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single elements by index along an axis, and back: values, hidden
 * axes, places that are not there, rejections. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/take.h"
#include "support/counted_memory.h"
#include "support/misuse.h"

#define INTS(t, shape, ...) gb_ints((t), (shape), (const int64_t[]){__VA_ARGS__})

TEST(each_line_takes_by_its_own_index)
{
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        const gb_node m = gb_variable(tape, "m", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
        assert_values(gb_take_along(m, INTS(tape, gb_shape(2, 2), 2, 0, 1, 1), 1), 3, 1, 5, 5);
        assert_values(gb_take_along(m, INTS(tape, gb_shape(2, 2), 2, 0, 1, 1), -1), 3, 1, 5, 5);
        assert_values(gb_take_along(m, INTS(tape, gb_shape(1, 3), 1, 0, 1), 0), 4, 2, 6);
        assert_values(gb_take_along(m, INTS(tape, gb_shape(3), 2, 1, 0), 1), 3, 2, 1, 6, 5, 4);
        assert_values(gb_take_along(gb_slice(m, 0, 0, 1), INTS(tape, gb_shape(2, 1), 2, 0), 1), 3, 1);
        assert_int_equal(gb_value_count(gb_take_along(m, gb_ints(tape, gb_shape(2, 0), NULL), 1)), 0);
        assert_fine(tape);
    }
}

TEST(what_is_scattered_adds_up)
{
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        const gb_node m = gb_variable(tape, "m", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
        assert_values(gb_scatter_along(m, INTS(tape, gb_shape(2, 3), 0, 0, 3, 1, 2, 1), 1, 4), 3, 0, 0, 3, 0,
                      10, 5, 0);
        assert_values(gb_scatter_along(m, INTS(tape, gb_shape(2, 1), 1, 1), 0, 2), 0, 0, 0, 5, 7, 9);
        assert_values(gb_scatter_along(m, INTS(tape, gb_shape(3), 1, 0, 1), -1, 2), 2, 4, 5, 10);
        assert_int_equal(gb_value_count(gb_scatter_along(m, INTS(tape, gb_shape(3), 0, 0, 0), 1, 1)), 2);
        assert_values(gb_scatter_along(gb_zeros(tape, gb_shape(0)), gb_ints(tape, gb_shape(0), NULL), 0, 2),
                      0, 0);
        assert_fine(tape);
    }
}

/* The log probabilities of labels: x for all rows or for each row, an index for each row. */
TEST(rows_take_by_their_index_and_gradients_add_up)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)),
                  label = gb_input_rows_ints(t, "label", gb_shape(1)),
                  shift = gb_input_rows(t, "shift", gb_shape());
    gb_feed_ints(label, (const int64_t[]){2, 0, 2, 1}, 4);
    gb_feed(shift, (const double[]){0, 10, 20, 30}, 4);
    const gb_node shared = gb_take_along(x, label, 0), own = gb_take_along(gb_add(x, shift), label, 0);
    const gb_node g = gb_grad(gb_sum_over(gb_sum(gb_square(own)), GB_ROWS), x);
    gb_program *p = gb_compile(t, gb_roots(shared, own, g), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(shared, 3, 1, 3, 2);
    assert_values(own, 3, 11, 23, 32);
    assert_values(g, 22, 64, 52);
}

TEST(a_fed_index_that_is_out_of_range_is_rejected_by_the_run)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)),
                  index = gb_input_ints(t, "index", gb_shape(2));
    const gb_node taken = gb_take_along(x, index, 0),
                  spread = gb_scatter_along(gb_slice(x, 0, 0, 2), index, 0, 3);
    gb_program *look = gb_compile(t, gb_roots(taken, spread), gb_no_update);
    gb_feed_ints(index, (const int64_t[]){3, 1}, 1);
    assert_int_equal(gb_run(look), GB_OK);
    assert_values(taken, NAN, 2);
    assert_values(spread, NAN, NAN, NAN);
    gb_program *train = gb_compile(t, gb_roots(taken), gb_assign(x, spread));
    assert_int_equal(gb_run(train), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "along");
    gb_feed_ints(index, (const int64_t[]){2, -1}, 1);
    assert_int_equal(gb_run(train), GB_ENONFINITE);
}

/* ---- misuse ---- */

MISUSE(take_along_no_axis, GB_ESHAPE, "take_along: axis 2 is not one of shape (2×3)",
       gb_take_along(w->matrix, w->ints, 2))
MISUSE(take_by_reals, GB_ETYPE, "take_along: argument 2 is not made of integers",
       gb_take_along(w->vector, w->vector, 0))
MISUSE(take_from_integers, GB_ETYPE, "take_along: argument 1 is not real", gb_take_along(w->ints, w->ints, 0))
MISUSE(take_by_other_lines, GB_ESHAPE, "take_along: index (3×1) does not fit (2×3) along axis -1",
       gb_take_along(w->matrix, INTS(w->t, gb_shape(3, 1), 0, 0, 0), 1))
MISUSE(take_by_too_few_axes, GB_ESHAPE, "take_along: index (3) does not fit (2×3) along axis -2",
       gb_take_along(w->matrix, w->ints, 0))
MISUSE(take_too_far, GB_EARGUMENT, "index 3 is not below the axis' size 3",
       gb_take_along(w->vector, INTS(w->t, gb_shape(2), 0, 3), 0))
MISUSE(take_from_an_old_node, GB_ENODE, "take_along: an argument was recorded before",
       gb_take_along(w->old, w->ints, 0))
MISUSE(scatter_along_no_axis, GB_ESHAPE, "scatter_along: axis 2 is not one of shape (2×3)",
       gb_scatter_along(w->matrix, w->ints, 2, 3))
MISUSE(scatter_to_a_negative_size, GB_EARGUMENT, "scatter_along: size -1 is negative",
       gb_scatter_along(w->vector, w->ints, 0, -1))
MISUSE(scatter_too_far, GB_EARGUMENT, "index 2 is not below the axis' size 2",
       gb_scatter_along(w->vector, INTS(w->t, gb_shape(3), 0, 1, 2), 0, 2))
MISUSE(scatter_by_other_sizes, GB_ESHAPE, "scatter_along: index (2) does not fit (3) along axis -1",
       gb_scatter_along(w->vector, INTS(w->t, gb_shape(2), 0, 1), 0, 2))
MISUSE(scatter_to_too_many, GB_ELIMIT, "scatter_along", gb_scatter_along(w->matrix, w->ints, 1, INT64_MAX))

/* ---- memory ---- */

static gb_status take_twice(gb_tape *t, const void *unused)
{
    (void)unused;
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(2, 3, 1));
    const gb_node y = gb_sum(gb_square(gb_take_along(x, INTS(t, gb_shape(2), 1, 1), 0)));
    const double value = gb_value(gb_sum(gb_grad(y, x)));
    if (gb_error(t) == GB_OK)
        assert_true(value == 12);
    return gb_error(t);
}

TEST(without_memory_recording_and_planning_say_so)
{
    assert_outlives_lack_of_memory(take_twice, NULL, "take", 0, (gb_tape_options){0});
}
