/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running sums, places and orders: values against what they are by hand, NaN, rejections. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "support/counted_memory.h"
#include "support/misuse.h"
#include "support/parts.h"

/* ---- running sums ---- */

TEST(running_sums_go_either_way_with_or_without_the_element_itself)
{
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        const gb_node m = matrix_of(tape);
        assert_values(gb_cumsum(m, 1), 1, 3, 6, 4, 9, 15);
        assert_values(gb_cumsum(m, 0), 1, 2, 3, 5, 7, 9);
        assert_values(gb_cumsum(m, -1, .reverse = true), 6, 5, 3, 15, 11, 6);
        assert_values(gb_cumsum(m, -1, .exclusive = true), 0, 1, 3, 0, 4, 9);
        assert_values(gb_cumsum(m, -1, .exclusive = true, .reverse = true), 5, 3, 0, 11, 6, 0);
        assert_int_equal(gb_value_count(gb_cumsum(gb_zeros(tape, gb_shape(2, 0)), 1)), 0);
        assert_fine(tape);
    }
}

TEST(a_running_sum_of_floats_is_added_in_double, .real = GB_FLOAT)
{
    enum { COUNT = 100000 };
    static double sums[COUNT];
    const gb_node x = gb_add(gb_arange(t, COUNT), gb_num(t, 1));
    assert_int_equal(gb_read(gb_cumsum(gb_reciprocal(x), 0), sums, COUNT), GB_OK);
    assert_true(fabs(sums[COUNT - 1] - 12.090146129863428) < 12 * (double)FLT_EPSILON);
}

TEST(a_nan_stays_in_the_sums_behind_it)
{
    const gb_node x = gb_constant(t, gb_shape(3), GB_VALUES(1, NAN, 2));
    assert_values(gb_cumsum(x, 0), 1, NAN, NAN);
    assert_values(gb_cumsum(x, 0, .reverse = true), NAN, NAN, 2);
}

/* ---- argmax ---- */

TEST(argmax_is_the_first_of_the_largest_and_nan_is_larger)
{
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        const gb_node x = gb_constant(tape, gb_shape(4, 3),
                                      GB_VALUES(1, 3, 3, -1, -2, -1, 1, NAN, NAN, -INFINITY, -INFINITY, 0));
        assert_values(gb_argmax(x, 1), 1, 0, 1, 2);
        assert_values(gb_argmax(x, 0), 0, 2, 2);
        assert_int_equal(gb_node_type(gb_argmax(x, 0)), GB_TYPE_INT);
        assert_values(gb_argmax(gb_constant(tape, gb_shape(1), GB_VALUES(-INFINITY)), 0), 0);
        assert_fine(tape);
    }
}

TEST(argmax_is_found_for_each_sample_and_row)
{
    const gb_node rows = gb_input_rows(t, "rows", gb_shape(2));
    const gb_node site =
        gb_hide(gb_constant(t, gb_shape(2, 2), GB_VALUES(0, 2, 4, 0)), gb_site_axis(t, "site", 2));
    const gb_node most = gb_argmax(gb_add(rows, site), 0), hot = gb_one_hot(most, 2);
    gb_program *p = gb_compile(t, gb_roots(most, hot), gb_no_update);
    gb_feed(rows, (const double[]){0, 0, 3, 0, 0, 5}, 3);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(most, 1, 0, 1, 0, 0, 1);
    assert_values(hot, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1);
}

TEST(a_place_has_no_gradient)
{
    const gb_node m = matrix_of(t);
    assert_values(gb_grad(gb_sum(gb_to_real(gb_argmax(m, 1))), m), 0, 0, 0, 0, 0, 0);
    assert_fine(t);
}

/* ---- sorting ---- */

TEST(sorted_is_ascending_and_equals_stay_in_their_order)
{
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        const gb_node x =
            gb_constant(tape, gb_shape(3, 5),
                        GB_VALUES(3, 1, 2, 1, 3, NAN, 1, NAN, -INFINITY, INFINITY, 0, -0., -1, 5, 4));
        assert_values(gb_argsort(x, 1), 1, 3, 2, 0, 4, 3, 1, 4, 0, 2, 2, 0, 1, 4, 3);
        assert_values(gb_sort(x, 1), 1, 1, 2, 3, 3, -INFINITY, 1, INFINITY, NAN, NAN, -1, 0, 0, 4, 5);
        assert_values(gb_sort(gb_constant(tape, gb_shape(3, 2), GB_VALUES(3, 1, 2, 5, 1, 3)), 0), 1, 1, 2, 3,
                      3, 5);
        assert_int_equal(gb_node_type(gb_argsort(x, 0)), GB_TYPE_INT);
        assert_int_equal(gb_value_count(gb_sort(gb_zeros(tape, gb_shape(2, 0)), 1)), 0);
        assert_values(gb_sort(gb_constant(tape, gb_shape(1), GB_VALUES(7)), 0), 7);
        assert_fine(tape);
    }
}

TEST(lines_of_any_length_are_sorted)
{
    for (size_t count = 1; count < 2000; count += count / 3 + 1) {
        double *values = calloc(count, sizeof *values), *is = calloc(count, sizeof *is);
        for (size_t i = 0; i < count; i++)
            values[i] = (double)(i * 7919 % 1009);
        gb_tape *const tape = test_tape();
        const gb_node x = gb_constant(tape, gb_shape((int64_t)count), gb_values_of(values, count));
        assert_int_equal(gb_read(gb_sort(x, 0), is, count), GB_OK);
        qsort(values, count, sizeof *values, ascending);
        assert_memory_equal(is, values, count * sizeof *is);
        free(values);
        free(is);
    }
}

TEST(the_gradient_of_a_sorted_array_goes_back_to_where_elements_came_from)
{
    const gb_node x = gb_variable(t, "x", gb_shape(4), GB_VALUES(3, 1, 4, 2));
    const gb_node loss = gb_sum(gb_mul(gb_square(gb_sort(x, 0)), gb_arange(t, 4)));
    const gb_node g = gb_grad(loss, x);
    assert_values(g, 12, 0, 24, 4);
    assert_values(gb_grad(gb_sum(g), x), 4, 0, 6, 2);
}

/* ---- products ---- */

TEST(products_are_over_all_or_over_some_axes)
{
    const gb_node m = matrix_of(t);
    assert_values(gb_prod(m), 720);
    assert_values(gb_prod_along(m, gb_axis(1)), 6, 120);
    assert_values(gb_prod_along(m, gb_axis(0)), 4, 10, 18);
    assert_values(gb_prod_along(m, gb_axis(0, -1)), 720);
    assert_values(gb_prod_along(m, gb_axis_of(0, NULL)), 1, 2, 3, 4, 5, 6);
    assert_values(gb_prod(gb_num(t, 3)), 3);
    assert_values(gb_prod(gb_zeros(t, gb_shape(0))), 1);
    assert_values(gb_prod_along(gb_zeros(t, gb_shape(2, 0)), gb_axis(1)), 1, 1);
    for (int64_t n = 1; n < 20; n++)
        assert_close(gb_value(gb_prod(gb_shift(gb_arange(t, n), 1))), tgamma((double)n + 1), 8);
    assert_fine(t);
}

/* With one zero the gradient is the product of the others there; with
 * two it is 0, but the second one is not. */
TEST(gradients_of_a_product_are_right_where_elements_are_0)
{
    const gb_node x = gb_variable(t, "x", gb_shape(5), GB_VALUES(2, 0, 3, 5, 7));
    const gb_node g = gb_grad(gb_prod(x), x);
    const gb_node h = gb_grad(gb_sum(gb_slice(g, 0, 1, 2)), x),
                  third = gb_grad(gb_sum(gb_slice(h, 0, 3, 4)), x);
    gb_program *p = gb_compile(t, gb_roots(g, h, third), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(g, 0, 210, 0, 0, 0);
    assert_values(h, 105, 0, 70, 42, 30);
    assert_values(third, 21, 0, 14, 0, 6);
    gb_set(x, GB_VALUES(2, 0, 3, 0, 7));
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(g, 0, 0, 0, 0, 0);
    assert_values(h, 0, 0, 0, 42, 0);
    assert_values(third, 21, 0, 14, 0, 6);
}

/* ---- misuse ---- */

MISUSE(cumsum_along_no_axis, GB_ESHAPE, "cumsum: axis 2 is not one of shape (2×3)", gb_cumsum(w->matrix, 2))
MISUSE(cumsum_of_integers, GB_ETYPE, "cumsum: argument 1 is not real", gb_cumsum(w->ints, 0))
MISUSE(cumsum_of_an_old_node, GB_ENODE, "before gb_tape_reset", gb_cumsum(w->old, 0))
MISUSE(argmax_along_no_axis, GB_ESHAPE, "argmax: axis 0 is not one of shape ()", gb_argmax(w->scalar, 0))
MISUSE(argmax_of_nothing, GB_ESHAPE, "argmax: axis 1 is empty", gb_argmax(gb_zeros(w->t, gb_shape(3, 0)), 1))
MISUSE(argmax_of_booleans, GB_ETYPE, "argmax: argument 1 is not real", gb_argmax(w->truth, 0))
MISUSE(sort_along_no_axis, GB_ESHAPE, "argsort: axis -3 is not one of shape (2×3)", gb_sort(w->matrix, -3))
MISUSE(sort_of_integers, GB_ETYPE, "argsort: argument 1 is not real", gb_sort(w->ints, 0))
MISUSE(argsort_of_an_old_node, GB_ENODE, "argsort: an argument was recorded before gb_tape_reset",
       gb_argsort(w->old, 0))
MISUSE(product_along_no_axis, GB_ESHAPE, "prod: axis 2 is not one of shape (2×3)",
       gb_prod_along(w->matrix, gb_axis(2)))
MISUSE(product_along_an_axis_twice, GB_ESHAPE, "prod: axis -2 is named twice",
       gb_prod_along(w->matrix, gb_axis(0, -2)))
MISUSE(product_of_integers, GB_ETYPE, "mul: argument 1 is not real", gb_prod(w->ints))
MISUSE(product_of_an_old_node, GB_ENODE, "prod: an argument was recorded before gb_tape_reset",
       gb_prod(w->old))

/* ---- memory ---- */

static gb_status sort_and_sum(gb_tape *t, const void *unused)
{
    (void)unused;
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(2, 3, 1));
    const gb_node y = gb_mul(gb_prod(gb_cumsum(gb_sort(x, 0), 0)), gb_to_real(gb_argmax(x, 0)));
    const double value = gb_value(gb_sum(gb_grad(y, x)));
    if (gb_error(t) == GB_OK)
        assert_true(value == 3 * 6 + 2 * 6 + 3 * 3); /* a (a + b) (a + b + c) at 1, 2, 3 */
    return gb_error(t);
}

TEST(without_memory_recording_and_planning_say_so)
{
    assert_outlives_lack_of_memory(sort_and_sum, NULL, "sort", 0, (gb_tape_options){0});
}
