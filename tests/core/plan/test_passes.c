/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What single passes of a plan are for: each test fails if its pass does nothing. */
#include "support/close.h"

#include "core/run/plans_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { COUNT = 100000 };

static const gb_plan *plan_of(gb_node root)
{
    const gb_plan *const plan = gb_plan_find(gb_compile(root.tape, gb_roots(root), gb_no_update));
    assert_non_null(plan);
    return plan;
}

/* Over how many elements the plan computes the values of an operation, all together. */
static size_t elements_of(const gb_plan *plan, const char *op)
{
    size_t sum = 0;
    for (size_t i = 0; i < plan->values.count; i++)
        if (plan->values.at[i].unit != GB_NONE && strcmp(plan->values.at[i].op->name, op) == 0)
            sum += plan->values.at[i].domain;
    return sum;
}

/* sink_values: exp x could be computed with Σ tanh x, but is used only later; there it needs no buffer. */
TEST(a_value_moves_to_its_only_user)
{
    const gb_node x = gb_variable(t, "x", gb_shape(COUNT), gb_fill(0.5));
    assert_true(plan_of(gb_sum(gb_mul(gb_exp(x), gb_sum(gb_tanh(x)))))->work_bytes < COUNT);
}

/* sink_values, the second time: the last reader of exp x cannot move before the earlier ones have moved. */
TEST(readers_of_one_value_move_together)
{
    const gb_node x = gb_variable(t, "x", gb_shape(COUNT), gb_fill(0.5)), a = gb_exp(x);
    const gb_node early = gb_tanh(gb_sin(a)), late = gb_sqrt(a);
    assert_true(plan_of(gb_sum(gb_mul(gb_add(early, late), gb_sum(gb_tanh(x)))))->work_bytes < COUNT);
}

/* needs_new_buffer: exp x has a buffer anyway, for the product. So its root can move to the root's reader. */
TEST(a_value_moves_if_its_argument_has_a_buffer_anyway)
{
    const gb_node x = gb_variable(t, "x", gb_shape(COUNT), gb_fill(0.5)), a = gb_exp(x);
    const gb_node product = gb_dot(a, x), late = gb_mul(gb_sqrt(a), gb_sum(gb_tanh(a)));
    assert_true(plan_of(gb_add(gb_sum(late), product))->work_bytes < 3 * COUNT * sizeof(double) / 2);
}

/* compute_once: all elements of a repeated number have the same
 * exponential; so has all that is computed from it. */
TEST(what_is_the_same_for_all_elements_is_computed_for_one)
{
    const gb_node x = gb_variable(t, "x", gb_shape(COUNT), gb_fill(0.5)),
                  scale = gb_variable(t, "scale", gb_shape(), gb_fill(2));
    const gb_node repeated = gb_broadcast_to(scale, gb_shape(COUNT));
    const gb_plan *const plan = plan_of(gb_sum(gb_mul(x, gb_tanh(gb_add(gb_exp(repeated), scale)))));
    assert_int_equal(elements_of(plan, "exp"), 1);
    assert_int_equal(elements_of(plan, "add"), 1);
    assert_int_equal(elements_of(plan, "tanh"), 1);
    assert_int_equal(elements_of(plan, "mul"), COUNT);
}

/* read_through_copies: a sum over one element is a copy into another shape. A reader
 * that only needs the elements reads the original. */
TEST(what_only_changes_shape_is_not_copied)
{
    const gb_node x = gb_variable(t, "x", gb_shape(1, COUNT), gb_fill(0.5));
    const gb_node first = gb_sum_along(x, gb_axis(0));
    const gb_plan *const plan = plan_of(gb_sum(gb_exp(first)));
    assert_int_equal(elements_of(plan, "exp"), COUNT);
    assert_int_equal(elements_of(plan, "copy"), 0);
}
