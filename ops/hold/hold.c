/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/hold.h"

#include "ops/elementwise.h"
#include "ops/hold/hold_impl.h"

void gb_hold_text(gb_hold_words words, const double *value, char *text, size_t bytes)
{
    if (value)
        snprintf(text, bytes, "%s: %s is %g, and must be %s", words.who, words.what, *value, words.must_be);
    else
        snprintf(text, bytes, "%s: %s must be %s", words.who, words.what, words.must_be);
}

static void rejection(const void *attributes, double argument, char *text, size_t bytes)
{
    const gb_hold_words *const words = attributes;
    gb_hold_text(*words, words->whole ? NULL : &argument, text, bytes);
}

static bool infer(gb_infer *infer)
{
    char x[GB_SHAPE_TEXT], outside[GB_SHAPE_TEXT];
    if (!gb_infer_broadcast(infer))
        return false;
    if (!gb_shape_same(infer->shape, infer->arg_shape[0]) || infer->axes != gb_node_axes(infer->arg[0]))
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
                          .takes = {GB_TAKES_REALS, GB_TAKES_BOOLEANS},
                          .attribute_bytes = sizeof(gb_hold_words),
                          .infer = infer,
                          .vjp = vjp,
                          .blocks = &kernels,
                          .rejection = rejection,
                          .example = example};

gb_node gb_hold(gb_node x, gb_node outside, gb_hold_words words)
{
    return gb_apply(NULL, &gb_hold_op, 2, (const gb_node[]){x, outside}, &words, sizeof words);
}
