/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records a case: the operation, and the sums to be differentiated. */
#include "kit/ops/record_impl.h"

#include <string.h>

#include "core/gradient.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- the operation ---- */

/* Returns a part of a shape: leading axes left out, others of size 1. */
static gb_shape broadcastable(gb_op_case *c, gb_shape whole)
{
    const int dropped = gb_op_case_random(c) % 3 ? 0 : (int)c->example.integer(&c->example, 0, whole.rank);
    gb_shape part = {.rank = whole.rank - dropped};
    for (int i = 0; i < part.rank; i++)
        part.size[i] = gb_op_case_random(c) % 4 ? whole.size[i + dropped] : 1;
    return part;
}

bool gb_op_has_domain(const gb_op *op)
{
    return op->form == GB_FORM_ELEMENTWISE && op->domain[0].low < op->domain[0].high;
}

bool gb_op_has_cases(const gb_op *op)
{
    return op->example || gb_op_has_domain(op);
}

/* An elementwise operation of any number of arguments has one domain for all of them. */
static gb_node apply_in_domain(gb_op_case *c)
{
    enum { MOST = 5 };
    const gb_op *op = c->op;
    gb_node arg[MOST];
    const size_t count = op->variadic           ? (size_t)c->example.integer(&c->example, 2, MOST)
                         : op->arguments < MOST ? op->arguments
                                                : MOST;
    const gb_shape whole = c->example.shape(&c->example, 0, 4, 0, 4);
    for (size_t i = 0; i < count; i++) {
        const size_t at = op->variadic || i > 2 ? 0 : i;
        arg[i] =
            c->example.real(&c->example, broadcastable(c, whole), op->domain[at].low, op->domain[at].high);
    }
    return gb_apply(NULL, op, count, arg, NULL, 0);
}

static gb_node apply(gb_op_case *c)
{
    c->arguments = 0;
    return c->op->example ? c->op->example(&c->example) : apply_in_domain(c);
}

/* The operation must keep all hidden axes of its arguments, except those that it may mix. */
static bool axes_fit(gb_op_case *c)
{
    const gb_axes kept = (c->axis[0] | c->axis[1] | c->axis[2]) & ~c->mixed;
    gb_axes missing = 0;
    for (size_t i = 0; i < gb_node_arguments(c->own); i++)
        missing |= gb_node_axes(gb_node_argument(c->own, i)) & ~gb_node_axes(c->own) & kept;
    return gb_kit_verdict(c->kit, GB_ON_SHAPE, !missing, "it lacks hidden axes of its arguments:%s%s%s",
                          missing & c->axis[0] ? " samples" : "", missing & c->axis[1] ? " site" : "",
                          missing & c->axis[2] ? " rows" : "");
}

/* An elementwise operation must have the broadcast shape of its arguments. */
static bool shape_fits(gb_op_case *c)
{
    char is[GB_SHAPE_TEXT], should[GB_SHAPE_TEXT];
    gb_shape whole = {0};
    if (c->op->form != GB_FORM_ELEMENTWISE)
        return true;
    for (size_t i = 0; i < gb_node_arguments(c->own); i++)
        if (!gb_shape_broadcast(whole, gb_node_shape(gb_node_argument(c->own, i)), &whole))
            return gb_kit_verdict(c->kit, GB_ON_SHAPE, false, "it accepts arguments that do not broadcast");
    return gb_kit_verdict(c->kit, GB_ON_SHAPE, gb_shape_same(whole, gb_node_shape(c->own)),
                          "the shape is %s, not %s", gb_shape_text(gb_node_shape(c->own), is),
                          gb_shape_text(whole, should));
}

/* Returns the last node that is the operation itself: an example may record more. */
static gb_node find_own(const gb_op_case *c)
{
    for (size_t id = gb_tape_length(c->tape); id-- > 0;)
        if (gb_node_op(gb_tape_node(c->tape, id)) == c->op)
            return gb_tape_node(c->tape, id);
    return (gb_node){0};
}

bool gb_op_case_record(gb_op_case *c)
{
    c->value = apply(c);
    c->own = find_own(c);
    c->real = gb_to_real(c->value);
    if (c->tape && gb_error(c->tape) == GB_OK && !gb_node_ok(c->real))
        gb_fail(c->tape, GB_ENODE, "%s: it returned no node", c->op->name);
    return gb_op_case_fine(c) && (!gb_node_ok(c->own) || (axes_fit(c) && shape_fits(c)));
}

gb_node gb_op_case_again(gb_op_case *c, gb_case_pass *pass)
{
    const uint64_t random = c->random;
    const size_t arguments = c->arguments;
    c->random = c->random_at_start;
    c->pass = pass;
    const gb_node y = apply(c);
    c->pass = NULL;
    c->arguments = arguments;
    c->random = random;
    return gb_to_real(y);
}

/* ---- T and D ---- */

/* Sums over everything. Rows enter by an input of zeros, since their number is known only when they are
 * fed. */
static gb_node everything(gb_op_case *c, gb_node x)
{
    const gb_node sum = gb_sum_over(gb_sum(x), gb_node_axes(x));
    return c->rows_used ? gb_add(sum, gb_sum_over(c->rows, GB_ROWS)) : sum;
}

static gb_node dot_with(gb_op_case *c, const double *weights, gb_node x)
{
    const gb_shape shape = gb_node_shape(x);
    return gb_sum(gb_mul(gb_constant(c->tape, shape, gb_values_of(weights, gb_shape_count(shape))), x));
}

/* Records T, and the sum of the sizes of its terms. */
static void record_total(gb_op_case *c)
{
    const gb_node y = c->real;
    unsigned set = 0;
    for (unsigned i = 0; i < GB_CASE_AXES; i++)
        set |= (gb_node_axes(y) & c->axis[i] ? 1u : 0u) << i;
    if (gb_op_case_random(c) %
        2) /* weights that do not vary along all axes: neither does the adjoint of y then */
        set &= (unsigned)gb_op_case_random(c);
    const gb_shape weights = gb_op_case_random(c) % 2 ? gb_node_shape(y) : broadcastable(c, gb_node_shape(y));
    const gb_node weighted = gb_mul(gb_op_case_variable(c, weights, set, -2, 2), y);
    c->total = everything(c, weighted);
    c->magnitude = everything(c, gb_abs(weighted));
}

/* An operation without a derivative must reject a gradient, by name. */
static bool first_is_rejected(gb_op_case *c)
{
    const bool has_none = !c->op->vjp && c->op->form != GB_FORM_COMPOSITE;
    if (!has_none || gb_error(c->tape) != GB_EGRADIENT || !strstr(gb_error_text(c->tape), c->op->name))
        return false;
    gb_forgive(c->tape);
    return true;
}

bool gb_op_case_record_gradients(gb_op_case *c)
{
    gb_node x[GB_CASE_VARIABLES], gradient[GB_CASE_VARIABLES];
    record_total(c);
    for (size_t i = 0; i < c->variables; i++)
        x[i] = c->variable[i].node;
    gb_grads(c->total, x, c->variables, gradient);
    if (first_is_rejected(c)) {
        gb_kit_verdict(c->kit, GB_ON_REJECTION, true, "%s", "");
        return true;
    }
    c->orders = c->op->once_differentiable ? 1 : 2;
    c->directional = gb_num(c->tape, 0);
    for (size_t i = 0; i < c->variables; i++) {
        c->variable[i].gradient = gradient[i];
        c->directional = gb_add(c->directional, dot_with(c, c->variable[i].u, gradient[i]));
    }
    if (c->orders < 2)
        return gb_op_case_fine(c);
    gb_grads(c->directional, x, c->variables, gradient);
    for (size_t i = 0; i < c->variables; i++)
        c->variable[i].second = gradient[i];
    return gb_op_case_fine(c);
}
