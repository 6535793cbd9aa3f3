/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations from outside in calls that no function of grebe makes, and what the engine asks of them. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/reduce.h"
#include "support/parts.h"

/* ---- what is missing ---- */

static void assert_reported(gb_tape *t, const gb_op *op, size_t count, const gb_node *arg, const char *words)
{
    assert_false(gb_node_ok(gb_apply(t, op, count, arg, NULL, 0)));
    assert_rejected(t, GB_EARGUMENT, words);
}

TEST(what_is_missing_in_a_call_is_reported)
{
    static const gb_op many = {.size = sizeof(gb_op),
                               .name = "many",
                               .formula = "x² y + z",
                               .form = GB_FORM_ELEMENTWISE,
                               .variadic = true,
                               .lane = blend_lane},
                       noise = {.size = sizeof(gb_op), .name = "hum", .formula = "?", .form = GB_FORM_NOISE},
                       alias = {.size = sizeof(gb_op),
                                .name = "other",
                                .formula = "x",
                                .form = GB_FORM_ALIAS,
                                .variadic = true};
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)), six[6] = {x, x, x, x, x, x};
    assert_reported(t, &many, 6, six, "many: ");
    assert_reported(t, &many, 0, NULL, "many: ");
    assert_reported(t, &gb_sum_op, 1, &x, "sum: ");
    assert_reported(t, &noise, 0, NULL, "hum: ");
    assert_reported(t, gb_op_find("reshape"), 1, &x, "reshape: ");
    assert_reported(t, &alias, 0, NULL, "other: ");
    assert_values(gb_apply(NULL, &many, 3, six, NULL, 0), 2, 10, 30);
    assert_values(gb_apply(NULL, &alias, 1, six, NULL, 0), 1, 2, 3);
}

/* The operations of grebe that need attributes all say so; nothing of the list crashes without. */
TEST(every_operation_of_the_list_may_be_called_without_attributes)
{
    size_t count;
    const gb_op *const *ops = gb_ops(&count);
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(1)), args[4] = {x, x, x, x};
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n <= 4; n++) {
            const gb_node y = gb_apply(t, ops[i], n, args, NULL, 0);
            assert_int_equal(gb_node_ok(y), gb_error(t) == GB_OK);
            gb_forgive(t);
        }
}

/* ---- what is asked of an operation ---- */

static int lane_calls;

static double counting_lane(double x, double y, double z)
{
    (void)y, (void)z;
    lane_calls++;
    return 2 * x;
}

/* Without a derivative. */
static const gb_op counting_op = {.size = sizeof(gb_op),
                                  .name = "counting",
                                  .formula = "2 x",
                                  .form = GB_FORM_ELEMENTWISE,
                                  .arguments = 1,
                                  .lane = counting_lane};

TEST(counting_elements_computes_none, .samples = 2)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(1)), i = gb_axis_index(t, GB_SAMPLES);
    const gb_node mixed = gb_mul(x, i), y = gb_apply(NULL, &counting_op, 1, &mixed, NULL, 0);
    lane_calls = 0;
    assert_int_equal(gb_value_count(y), 6);
    assert_int_equal(lane_calls, 0);
    assert_values(y, 0, 0, 0, 2, 2, 2);
    assert_true(lane_calls >= 6);
}

TEST(a_gradient_stops_at_what_it_is_taken_of)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(3, 4));
    const gb_node z = gb_apply(NULL, &counting_op, 1, &x, NULL, 0);
    assert_values(gb_grad(gb_sum(gb_square(z)), z), 12, 16);
    assert_fine(t);
    assert_false(gb_node_ok(gb_grad(gb_sum(gb_square(z)), x)));
    assert_rejected(t, GB_EGRADIENT, "gradient: counting has no derivative");
}

/* ---- aliases and shapes ---- */

static void scaled_vjp(const gb_vjp *v)
{
    v->adjoint[1] = gb_chain(v->gradient, gb_scale(v->arg[1], 3));
}

#define ALIAS .size = sizeof(gb_op), .formula = "y", .form = GB_FORM_ALIAS, .arguments = 2, .vjp = scaled_vjp
static const gb_op scaled_op = {ALIAS, .name = "scaled"};

TEST(an_alias_has_the_shape_of_its_value_whatever_its_inputs_are, .samples = 2)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3)), y = gb_sum(gb_square(x));
    const gb_node own = gb_with_vjp(&scaled_op, y, 1, &x, NULL, 0);
    assert_true(gb_shape_same(gb_node_shape(own), gb_shape()));
    assert_values(own, 14);
    assert_values(gb_grad(own, x), 3, 6, 9);
    const gb_node wide = gb_variable(t, "wide", gb_shape(2, 3), gb_fill(1));
    const gb_node row = gb_with_vjp(&scaled_op, x, 1, &wide, NULL, 0);
    assert_true(gb_shape_same(gb_node_shape(row), gb_shape(3)));
    assert_values(gb_reshape(gb_neg(row), gb_shape(3, 1)), -1, -2, -3);
    assert_fine(t);
}

static bool longer(gb_infer *infer)
{
    gb_infer_first(infer);
    infer->shape = gb_shape(4);
    return true;
}

static bool upright(gb_infer *infer)
{
    gb_infer_first(infer);
    infer->shape = gb_shape(3, 1);
    return true;
}

static bool upright_for_each_sample(gb_infer *infer)
{
    infer->axes |= GB_SAMPLES;
    infer->shape = gb_shape(3, 1);
    return true;
}

TEST(an_alias_with_more_elements_than_its_value_is_rejected, .samples = 2)
{
    static const gb_op longer_op = {ALIAS, .name = "longer", .infer = longer},
                       upright_op = {ALIAS, .name = "upright", .infer = upright},
                       both_op = {ALIAS, .name = "both", .infer = upright_for_each_sample};
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3));
    assert_false(gb_node_ok(gb_with_vjp(&longer_op, x, 1, &x, NULL, 0)));
    assert_rejected(t, GB_ESHAPE, "longer: an alias must have the elements of its first argument");
    assert_false(gb_node_ok(gb_with_vjp(&both_op, x, 1, &x, NULL, 0)));
    assert_rejected(t, GB_ESHAPE, "both: an alias must have the elements of its first argument");
    const gb_node fine = gb_with_vjp(&upright_op, x, 1, &x, NULL, 0);
    assert_values(fine, 1, 2, 3);
    assert_values(gb_sum_along(fine, gb_axis(0)), 6);
}
