/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/hold.h"

#include <math.h>
#include <string.h>

#include "ops/elementwise.h"
#include "ops/elementwise/hold_impl.h"
#include "ops/list_table.h"

#define GB_DECLARE_OP(name) extern const gb_op gb_##name##_op;
GB_OP_LIST(GB_DECLARE_OP)

void gb_hold_text(gb_hold_words words, const double *value, char *text, size_t bytes)
{
    if (value)
        snprintf(text, bytes, "%s: %s is %g, and must be %s", words.who, words.what, *value, words.must_be);
    else
        snprintf(text, bytes, "%s: %s must be %s", words.who, words.what, words.must_be);
}

static void refusal(const void *attributes, double argument, char *text, size_t bytes)
{
    const gb_hold_words *const words = attributes;
    gb_hold_text(*words, words->whole ? NULL : &argument, text, bytes);
}

static bool infer(gb_infer *infer)
{
    char x[GB_SHAPE_TEXT], outside[GB_SHAPE_TEXT];
    if (infer->arg_type[0] != GB_TYPE_REAL || infer->arg_type[1] != GB_TYPE_BOOL)
        return gb_infer_fail(infer, GB_ETYPE, "takes a real and a boolean");
    if (!gb_infer_broadcast(infer))
        return false;
    if (!gb_shape_equal(infer->shape, infer->arg_shape[0]) || infer->axes != gb_node_axes(infer->arg[0]))
        return gb_infer_fail(
            infer, GB_ESHAPE, "the condition has shape %s and does not broadcast to that of x, %s",
            gb_shape_text(infer->arg_shape[1], outside), gb_shape_text(infer->arg_shape[0], x));
    return true;
}

static void vjp(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}

static gb_node example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 0, 3, 0, 3), -3, 3);
    return gb_hold(x, gb_less(x, gb_num(e->tape, -10)), (gb_hold_words){"example", "x", "at least -10", 0});
}

static const gb_block_kernels kernels = GB_KERNELS(hold);

const gb_op gb_hold_op = {.size = sizeof(gb_op),
                          .name = "hold",
                          .formula = "x, which must not be outside",
                          .form = GB_FORM_ELEMENTWISE,
                          .arguments = 2,
                          .attribute_bytes = sizeof(gb_hold_words),
                          .infer = infer,
                          .vjp = vjp,
                          .blocks = &kernels,
                          .refusal = refusal,
                          .example = example};

gb_node gb_hold(gb_node x, gb_node outside, gb_hold_words words)
{
    return gb_apply(NULL, &gb_hold_op, 2, (const gb_node[]){x, outside}, &words, sizeof words);
}

/* ---- what is known of a value ---- */

static const gb_range anything = {.low = -INFINITY, .high = INFINITY};

/* Of what does not depend on the argument's range. */
static const struct {
    const gb_op *op;
    gb_range range;
} range_of_op[] = {
    {&gb_exp_op, {0, INFINITY, true, false}},     {&gb_softplus_op, {0, INFINITY, true, false}},
    {&gb_sigmoid_op, {0, 1, true, true}},         {&gb_tanh_op, {-1, 1, true, true}},
    {&gb_square_op, {0, INFINITY, false, false}}, {&gb_abs_op, {0, INFINITY, false, false}},
    {&gb_relu_op, {0, INFINITY, false, false}},   {&gb_scale_divergence_op, {0, INFINITY, false, false}},
    {&gb_misfit_op, {0, INFINITY, false, false}}, {&gb_uniform_noise_op, {0, 1, true, true}},
};

static bool is_positive(gb_range r)
{
    return r.low > 0 || (r.low == 0 && r.above);
}

static gb_range known(gb_node x, int depth);

static gb_range argument(gb_node x, size_t index, int depth)
{
    return known(gb_node_argument(x, index), depth - 1);
}

static gb_range sum(gb_range a, gb_range b)
{
    return (gb_range){a.low + b.low, a.high + b.high, a.above || b.above, a.below || b.below};
}

static gb_range negative(gb_range a)
{
    return (gb_range){-a.high, -a.low, a.below, a.above};
}

/* Products and quotients: of their signs alone. */
static gb_range of_signs(gb_range a, gb_range b)
{
    if (a.low >= 0 && b.low >= 0)
        return (gb_range){0, INFINITY, is_positive(a) && is_positive(b), false};
    return anything;
}

static gb_range known(gb_node x, int depth)
{
    const gb_op *const op = gb_node_operation(x);
    double value;
    if (gb_is_uniform(x, &value))
        return (gb_range){.low = value, .high = value};
    if (strcmp(gb_node_op(x), "variable") == 0)
        return (gb_range){-INFINITY, INFINITY, true, true};
    for (size_t i = 0; i < sizeof range_of_op / sizeof *range_of_op; i++)
        if (op == range_of_op[i].op)
            return range_of_op[i].range;
    if (depth == 0 || !op)
        return anything;
    if (op->form == GB_FORM_ALIAS || op->form == GB_FORM_VIEW || op == &gb_hold_op)
        return argument(x, 0, depth);
    if (op == &gb_neg_op)
        return negative(argument(x, 0, depth));
    if (op == &gb_add_op)
        return sum(argument(x, 0, depth), argument(x, 1, depth));
    if (op == &gb_sub_op)
        return sum(argument(x, 0, depth), negative(argument(x, 1, depth)));
    if (op == &gb_mul_op || op == &gb_div_op)
        return of_signs(argument(x, 0, depth), argument(x, 1, depth));
    if (op == &gb_reciprocal_op || op == &gb_sqrt_op)
        return of_signs(argument(x, 0, depth), argument(x, 0, depth));
    return anything;
}

gb_range gb_known_range(gb_node x)
{
    enum { DEPTH = 8 };
    return known(x, DEPTH);
}
