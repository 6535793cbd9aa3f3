/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/control.h"

#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"

/* ---- stop ---- */

static void no_adjoint(const gb_vjp *v)
{
    (void)v;
}

const gb_op gb_stop_op = {.size = sizeof(gb_op),
                          .name = "stop",
                          .formula = "x, without gradient",
                          .form = GB_FORM_ALIAS,
                          .arguments = 1,
                          .infer = gb_infer_first,
                          .vjp = no_adjoint};

gb_node gb_stop(gb_node x)
{
    return gb_apply(NULL, &gb_stop_op, 1, &x, NULL, 0);
}

/* ---- inject ---- */

static bool inject_infer(gb_infer *infer)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_shape all;
    infer->shape = infer->arg_shape[0];
    for (size_t i = 0; i < 3; i += 2)
        if (!gb_shape_broadcast(infer->arg_shape[i], infer->arg_shape[1], &all))
            return gb_infer_fail(infer, GB_ESHAPE, "%s and %s do not broadcast",
                                 gb_shape_text(infer->arg_shape[i], a),
                                 gb_shape_text(infer->arg_shape[1], b));
    return true;
}

static void inject_vjp(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
    v->adjoint[1] = gb_chain(v->gradient, v->arg[2]);
}

const gb_op gb_inject_op = {.size = sizeof(gb_op),
                            .name = "inject",
                            .formula = "x, with the gradient of x + a l where a is held fixed",
                            .form = GB_FORM_ALIAS,
                            .arguments = 3,
                            .takes = {GB_TAKES_REALS, GB_TAKES_REALS, GB_TAKES_REALS},
                            .infer = inject_infer,
                            .vjp = inject_vjp};

gb_node gb_inject(gb_node x, gb_node l, gb_node a)
{
    return gb_apply(NULL, &gb_inject_op, 3, (const gb_node[]){x, l, a}, NULL, 0);
}

/* Both adjoints carry the score on, since the gradient of an expectation is an expectation under the same
 * density. */
static void inject_score_vjp(const gb_vjp *v)
{
    const gb_node l = v->arg[1], g = v->gradient, injected = gb_chain(g, v->arg[2]);
    v->adjoint[0] = gb_inject_score(g, l, g);
    v->adjoint[1] = gb_inject_score(injected, l, injected);
}

const gb_op gb_inject_score_op = {
    .size = sizeof(gb_op),
    .name = "inject_score",
    .formula = "x, with the gradients of all orders of x + a l as of an expectation under e^l",
    .form = GB_FORM_ALIAS,
    .arguments = 3,
    .takes = {GB_TAKES_REALS, GB_TAKES_REALS, GB_TAKES_REALS},
    .infer = inject_infer,
    .vjp = inject_score_vjp};

gb_node gb_inject_score(gb_node x, gb_node l, gb_node a)
{
    return gb_apply(NULL, &gb_inject_score_op, 3, (const gb_node[]){x, l, a}, NULL, 0);
}

gb_node gb_gradient_only(gb_node l)
{
    return gb_inject(gb_zeros(l.tape, gb_node_shape(l)), l, gb_num(l.tape, 1));
}

GB_COMPOSITE(gradient_only, "0, with the gradient of l", NULL);

gb_node gb_with_vjp(const gb_op *op, gb_node value, size_t count, const gb_node *inputs,
                    const void *attributes, size_t attribute_bytes)
{
    enum { MOST_INPUTS = 15 };
    gb_node arg[1 + MOST_INPUTS] = {value};
    if (!op || (count > 0 && !inputs)) {
        gb_fail(value.tape, GB_EARGUMENT, "%s: %s NULL", op ? op->name : "with_vjp",
                op ? "the list of inputs is" : "the operation is");
        return (gb_node){0};
    }
    if (count > MOST_INPUTS) {
        gb_fail(value.tape, GB_ELIMIT, "%s: at most %d inputs, not %zu", op->name, MOST_INPUTS, count);
        return (gb_node){0};
    }
    for (size_t i = 0; i < count; i++)
        arg[1 + i] = inputs[i];
    return gb_apply(NULL, op, 1 + count, arg, attributes, attribute_bytes);
}

/* ---- marks ---- */

void gb_vjp_pass(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}

static gb_node continuous_example(gb_example *e)
{
    return gb_continuous(e->real(e, e->shape(e, 0, 2, 0, 3), -2, 2));
}

const gb_op gb_continuous_op = {.size = sizeof(gb_op),
                                .name = "continuous",
                                .formula = "x, which is continuous in the other arguments",
                                .form = GB_FORM_ALIAS,
                                .variadic = true,
                                .infer = gb_infer_first,
                                .vjp = gb_vjp_pass,
                                .example = continuous_example};

static gb_node marked_with(const gb_op *op, gb_node x, size_t count, const gb_node *inputs)
{
    enum { MOST_INPUTS = 24 };
    gb_node arg[1 + MOST_INPUTS] = {x};
    if (count > 0 && !inputs) {
        gb_fail(x.tape, GB_EARGUMENT, "%s: the list of inputs is NULL", op->name);
        return (gb_node){0};
    }
    if (count > MOST_INPUTS) {
        gb_fail(x.tape, GB_ELIMIT, "%s: at most %d inputs, not %zu", op->name, MOST_INPUTS, count);
        return (gb_node){0};
    }
    for (size_t i = 0; i < count; i++)
        arg[1 + i] = inputs[i];
    return gb_apply(NULL, op, 1 + count, arg, NULL, 0);
}

gb_node gb_continuous_in(gb_node x, size_t count, const gb_node *inputs)
{
    return marked_with(&gb_continuous_op, x, count, inputs);
}

static gb_node moving_support_example(gb_example *e)
{
    return gb_moving_support(e->real(e, e->shape(e, 0, 2, 0, 3), -2, 2), 0, NULL);
}

const gb_op gb_moving_support_op = {.size = sizeof(gb_op),
                                    .name = "moving_support",
                                    .formula = "x, which jumps in the other arguments but the first of them",
                                    .form = GB_FORM_ALIAS,
                                    .variadic = true,
                                    .infer = gb_infer_first,
                                    .vjp = gb_vjp_pass,
                                    .example = moving_support_example};

gb_node gb_moving_support(gb_node log_p, size_t count, const gb_node *inputs)
{
    return marked_with(&gb_moving_support_op, log_p, count, inputs);
}

gb_node gb_continuous(gb_node x)
{
    return gb_continuous_in(x, 0, NULL);
}

static gb_node relaxed_example(gb_example *e)
{
    return gb_relaxed(e->real(e, e->shape(e, 0, 2, 0, 3), -2, 2));
}

const gb_op gb_relaxed_op = {.size = sizeof(gb_op),
                             .name = "relaxed",
                             .formula = "x, which may lie between the values of a discrete distribution",
                             .form = GB_FORM_ALIAS,
                             .arguments = 1,
                             .infer = gb_infer_first,
                             .vjp = gb_vjp_pass,
                             .example = relaxed_example};

gb_node gb_relaxed(gb_node x)
{
    return gb_apply(NULL, &gb_relaxed_op, 1, &x, NULL, 0);
}

bool gb_is_relaxed(gb_node x)
{
    for (const gb_op *op = gb_node_op(x); op; op = gb_node_op(x)) {
        if (op == &gb_relaxed_op)
            return true;
        if (gb_node_arguments(x) == 0 || (op->form != GB_FORM_ALIAS && op->form != GB_FORM_VIEW))
            return false;
        x = gb_node_argument(x, 0);
    }
    return false;
}

/* ---- draws ---- */

const gb_op gb_open_draw_op = {.size = sizeof(gb_op),
                               .name = "draw",
                               .formula = "x, a draw",
                               .form = GB_FORM_ALIAS,
                               .arguments = 1,
                               .infer = gb_infer_first,
                               .vjp = gb_vjp_pass,
                               .opens = true};

const gb_op gb_close_draws_op = {.size = sizeof(gb_op),
                                 .name = "expected",
                                 .formula = "x, an estimate of its expectation",
                                 .form = GB_FORM_ALIAS,
                                 .arguments = 1,
                                 .infer = gb_infer_first,
                                 .vjp = gb_vjp_pass,
                                 .closes = true};

gb_node gb_open_draw(gb_node x)
{
    return gb_apply(NULL, &gb_open_draw_op, 1, &x, NULL, 0);
}

gb_node gb_close_draws(gb_node x)
{
    return gb_apply(NULL, &gb_close_draws_op, 1, &x, NULL, 0);
}
