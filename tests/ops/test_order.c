/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running sums, places and orders: values against what they are by hand, NaN, refusals. */
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

static gb_node matrix_of(gb_tape *t)
{
    return gb_variable(t, "matrix", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
}

/* ---- running sums ---- */

static void running_sums_go_either_way_with_or_without_the_element_itself(void **state)
{
    (void)state;
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *t = gb_tape_new(.threads = 1, .real = (gb_real)real);
        const gb_node m = matrix_of(t);
        assert_values(gb_cumsum(m, 1), 1, 3, 6, 4, 9, 15);
        assert_values(gb_cumsum(m, 0), 1, 2, 3, 5, 7, 9);
        assert_values(gb_cumsum_with(m, -1, .reverse = true), 6, 5, 3, 15, 11, 6);
        assert_values(gb_cumsum_with(m, -1, .exclusive = true), 0, 1, 3, 0, 4, 9);
        assert_values(gb_cumsum_with(m, -1, .exclusive = true, .reverse = true), 5, 3, 0, 11, 6, 0);
        assert_int_equal(gb_value_count(gb_cumsum(gb_zeros(t, gb_shape(2, 0)), 1)), 0);
        assert_fine(t);
        gb_tape_free(t);
    }
}

static void a_running_sum_of_floats_is_added_in_double(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    static double sums[COUNT];
    gb_tape *t = gb_tape_new(.threads = 1, .real = GB_FLOAT);
    const gb_node x = gb_add(gb_arange(t, COUNT), gb_num(t, 1));
    assert_int_equal(gb_read(gb_cumsum(gb_reciprocal(x), 0), sums, COUNT), GB_OK);
    assert_true(fabs(sums[COUNT - 1] - 12.090146129863428) < 12 * (double)FLT_EPSILON);
    gb_tape_free(t);
}

static void a_nan_stays_in_the_sums_behind_it(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node x = gb_constant(t, gb_shape(3), GB_VALUES(1, NAN, 2));
    assert_values(gb_cumsum(x, 0), 1, NAN, NAN);
    assert_values(gb_cumsum_with(x, 0, .reverse = true), NAN, NAN, 2);
    gb_tape_free(t);
}

/* ---- argmax ---- */

static void argmax_is_the_first_of_the_largest_and_nan_is_larger(void **state)
{
    (void)state;
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *t = gb_tape_new(.threads = 1, .real = (gb_real)real);
        const gb_node x = gb_constant(t, gb_shape(4, 3),
                                      GB_VALUES(1, 3, 3, -1, -2, -1, 1, NAN, NAN, -INFINITY, -INFINITY, 0));
        assert_values(gb_argmax(x, 1), 1, 0, 1, 2);
        assert_values(gb_argmax(x, 0), 0, 2, 2);
        assert_int_equal(gb_node_type(gb_argmax(x, 0)), GB_TYPE_INT);
        assert_values(gb_argmax(gb_constant(t, gb_shape(1), GB_VALUES(-INFINITY)), 0), 0);
        assert_fine(t);
        gb_tape_free(t);
    }
}

static void argmax_is_found_for_each_sample_and_row(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node rows = gb_input_rows(t, "rows", gb_shape(2));
    const gb_node site =
        gb_hide(gb_constant(t, gb_shape(2, 2), GB_VALUES(0, 2, 4, 0)), gb_site_axis(t, "site", 2));
    const gb_node most = gb_argmax(gb_add(rows, site), 0), hot = gb_one_hot(most, 2);
    gb_program *p = gb_compile(t, gb_roots(most, hot), gb_no_update);
    gb_feed(rows, (const double[]){0, 0, 3, 0, 0, 5}, 3);
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(most, 1, 0, 1, 0, 0, 1);
    assert_values(hot, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1);
    gb_tape_free(t);
}

static void a_place_has_no_gradient(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node m = matrix_of(t);
    assert_values(gb_grad(gb_sum(gb_to_real(gb_argmax(m, 1))), m), 0, 0, 0, 0, 0, 0);
    assert_fine(t);
    gb_tape_free(t);
}

/* ---- misuse ---- */

#define MISUSE(name, call)                                                                                   \
    static void name(world *w)                                                                               \
    {                                                                                                        \
        assert_false(gb_node_ok(call));                                                                      \
    }

MISUSE(cumsum_along_no_axis, gb_cumsum(w->matrix, 2))
MISUSE(cumsum_of_integers, gb_cumsum(w->ints, 0))
MISUSE(cumsum_of_an_old_node, gb_cumsum(w->old, 0))
MISUSE(argmax_along_no_axis, gb_argmax(w->scalar, 0))
MISUSE(argmax_of_nothing, gb_argmax(gb_zeros(w->t, gb_shape(3, 0)), 1))
MISUSE(argmax_of_booleans, gb_argmax(w->truth, 0))

#define CASE(name, code, words)                                                                              \
    {                                                                                                        \
#name, name, code, words                                                                             \
    }
static const misuse misuses[] = {
    CASE(cumsum_along_no_axis, GB_ESHAPE, "cumsum: axis 2 is not one of shape (2×3)"),
    CASE(cumsum_of_integers, GB_ETYPE, "cumsum: the argument is not real"),
    CASE(cumsum_of_an_old_node, GB_ENODE, "before gb_tape_reset"),
    CASE(argmax_along_no_axis, GB_ESHAPE, "argmax: axis 0 is not one of shape ()"),
    CASE(argmax_of_nothing, GB_ESHAPE, "argmax: axis 1 is empty"),
    CASE(argmax_of_booleans, GB_ETYPE, "argmax: the argument is not real"),
};

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_sums_go_either_way_with_or_without_the_element_itself),
        cmocka_unit_test(a_running_sum_of_floats_is_added_in_double),
        cmocka_unit_test(a_nan_stays_in_the_sums_behind_it),
        cmocka_unit_test(argmax_is_the_first_of_the_largest_and_nan_is_larger),
        cmocka_unit_test(argmax_is_found_for_each_sample_and_row),
        cmocka_unit_test(a_place_has_no_gradient),
    };
    const int failed = misuse_run("misuse", misuses, sizeof misuses / sizeof *misuses);
    return failed + cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
