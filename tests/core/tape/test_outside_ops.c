/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations from outside, of every form, through the public struct:
 * they pass the tests of grebe's own ones. */
#include "support/close.h"

#include "core/gradient.h"
#include "kit/check_op.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/parts.h"

/* ---- element by element: x² y + z ---- */

static void blend_vjp(const gb_vjp *v)
{
    const gb_node x = v->arg[0], y = v->arg[1], g = v->gradient;
    v->adjoint[0] = gb_chain(g, gb_scale(gb_mul(x, y), 2));
    v->adjoint[1] = gb_chain(g, gb_square(x));
    v->adjoint[2] = g;
}

static const gb_op blend_op = {.size = sizeof(gb_op),
                               .name = "blend",
                               .formula = "x² y + z",
                               .form = GB_FORM_ELEMENTWISE,
                               .arguments = 3,
                               .vjp = blend_vjp,
                               .lane = blend_lane,
                               .domain = {{-2, 2}, {-2, 2}, {-2, 2}}};

/* ---- a kernel, event by event: running sums along the last axis, from either end ---- */

typedef struct running_attributes {
    int64_t backwards;
} running_attributes;

#define RUNNING(name, real)                                                                                  \
    static void name(const gb_kernel_call *call, const void *const *in, void *out)                           \
    {                                                                                                        \
        const gb_shape *shape = &call->arg[0].shape;                                                         \
        const int64_t n = shape->size[shape->rank - 1], rows = n ? (int64_t)gb_shape_count(*shape) / n : 0;  \
        const bool backwards = ((const running_attributes *)call->attributes)->backwards;                    \
        for (int64_t row = 0; row < rows; row++) {                                                           \
            real sum = 0;                                                                                    \
            for (int64_t i = 0; i < n; i++) {                                                                \
                const int64_t at = row * n + (backwards ? n - 1 - i : i);                                    \
                ((real *)out)[at] = sum += ((const real *)in[0])[at];                                        \
            }                                                                                                \
        }                                                                                                    \
    }
RUNNING(running_double, double)
RUNNING(running_float, float)

static void running_run(const gb_kernel_call *call)
{
    gb_each_event(call, call->real == GB_FLOAT ? running_float : running_double);
}

static gb_node running(gb_node x, bool backwards);

static void running_vjp(const gb_vjp *v)
{
    v->adjoint[0] = running(v->gradient, !((const running_attributes *)v->attributes)->backwards);
}

static bool running_infer(gb_infer *infer)
{
    gb_infer_first(infer);
    if (infer->type != GB_TYPE_REAL)
        return gb_infer_fail(infer, GB_ETYPE, "the argument must be real");
    return infer->shape.rank > 0 || gb_infer_fail(infer, GB_ESHAPE, "a scalar has no axis to run along");
}

static gb_node running_example(gb_example *e)
{
    return running(e->real(e, e->shape(e, 1, 3, 0, 5), -2, 2), e->integer(e, 0, 1));
}

static const gb_op running_op = {.size = sizeof(gb_op),
                                 .name = "running",
                                 .formula = "running sums along the last axis",
                                 .form = GB_FORM_KERNEL,
                                 .arguments = 1,
                                 .infer = running_infer,
                                 .vjp = running_vjp,
                                 .run = running_run,
                                 .example = running_example};

static gb_node running(gb_node x, bool backwards)
{
    const running_attributes attributes = {.backwards = backwards};
    return gb_apply(NULL, &running_op, 1, &x, &attributes, sizeof attributes);
}

/* ---- a view: the first axis backwards ---- */

static bool reversed_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    (void)attributes;
    if (arg->shape.size[0] > 0)
        result->offset = arg->offset + (arg->shape.size[0] - 1) * arg->stride[0];
    result->stride[0] = -arg->stride[0];
    return true;
}

static gb_node reversed(gb_node x);

static void reversed_vjp(const gb_vjp *v)
{
    v->adjoint[0] = reversed(v->gradient);
}

static gb_node reversed_example(gb_example *e)
{
    return reversed(e->real(e, e->shape(e, 1, 3, 0, 4), -2, 2));
}

static const gb_op reversed_op = {.size = sizeof(gb_op),
                                  .name = "reversed",
                                  .formula = "the first axis backwards",
                                  .form = GB_FORM_VIEW,
                                  .arguments = 1,
                                  .infer = gb_infer_first,
                                  .vjp = reversed_vjp,
                                  .view = reversed_view,
                                  .example = reversed_example};

static gb_node reversed(gb_node x)
{
    return gb_apply(NULL, &reversed_op, 1, &x, NULL, 0);
}

/* ---- the tests ---- */

static const struct outside_op {
    const char *name;
    const gb_op *op;
} outside[] = {{"an elementwise one passes as grebe's own do", &blend_op},
               {"a kernel passes as grebe's own do", &running_op},
               {"a view passes as grebe's own do", &reversed_op}};

TEST_EACH(passes_as_grebes_own_do, outside)
{
    gb_report report = {.size = sizeof report};
    if (!gb_check_op(((const struct outside_op *)row)->op, .report = &report))
        fail_msg("%s", report.failure[0]);
}

TEST(values_are_right_alone_and_among_others, .samples = 2)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
    const gb_node y = gb_constant(t, gb_shape(3), GB_VALUES(1, 0, -1));
    const gb_node blended = gb_apply(NULL, &blend_op, 3, (gb_node[]){x, y, gb_num(t, 10)}, NULL, 0);
    assert_values(blended, 11, 10, 1, 26, 10, -26);
    assert_values(running(x, false), 1, 3, 6, 4, 9, 15);
    assert_values(running(x, true), 6, 5, 3, 15, 11, 6);
    assert_values(reversed(x), 4, 5, 6, 1, 2, 3);
    assert_values(reversed(gb_transpose(x, gb_axis())), 3, 6, 2, 5, 1, 4);
    assert_values(gb_exp(gb_scale(running(reversed(gb_transpose(x, gb_axis())), false), 0)), 1, 1, 1, 1, 1,
                  1);
    assert_values(running(reversed(x), false), 4, 9, 15, 1, 3, 6);
    const gb_node sampled = gb_mul(x, gb_axis_index(t, GB_SAMPLES));
    assert_values(running(sampled, false), 0, 0, 0, 0, 0, 0, 1, 3, 6, 4, 9, 15);
    assert_false(gb_node_ok(running(gb_num(t, 1), false)));
    assert_rejected(t, GB_ESHAPE, "running: a scalar has no axis to run along");
}

TEST(attributes_tell_operations_apart)
{
    gb_plan_facts facts;
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3));
    const gb_node same = gb_add(running(x, false), running(x, false)),
                  other = gb_add(running(x, false), running(x, true));
    assert_values(other, 7, 8, 9);
    gb_program_plan(gb_compile(t, gb_roots(same), gb_no_update), &facts);
    assert_int_equal(facts.nodes, 2);
    gb_program_plan(gb_compile(t, gb_roots(other), gb_no_update), &facts);
    assert_int_equal(facts.nodes, 3);
}

TEST(what_is_missing_in_the_struct_is_reported)
{
    static const gb_op nothing = {.size = sizeof(gb_op),
                                  .name = "nothing",
                                  .formula = "?",
                                  .form = GB_FORM_KERNEL,
                                  .arguments = 1},
                       old = {.size = 8,
                              .name = "old",
                              .formula = "?",
                              .form = GB_FORM_KERNEL,
                              .arguments = 1,
                              .run = running_run},
                       four = {.size = sizeof(gb_op),
                               .name = "four",
                               .formula = "?",
                               .form = GB_FORM_ELEMENTWISE,
                               .arguments = 4,
                               .lane = blend_lane};
    const gb_node x[4] = {gb_num(t, 1), gb_num(t, 1), gb_num(t, 1), gb_num(t, 1)};
    assert_false(gb_node_ok(gb_apply(NULL, &nothing, 1, x, NULL, 0)));
    assert_rejected(t, GB_EARGUMENT, "nothing: ");
    assert_false(gb_node_ok(gb_apply(NULL, &old, 1, x, NULL, 0)));
    assert_rejected(t, GB_EARGUMENT, "an operation: ");
    assert_false(gb_node_ok(gb_apply(NULL, &four, 4, x, NULL, 0)));
    assert_rejected(t, GB_EARGUMENT, "four: ");
}
