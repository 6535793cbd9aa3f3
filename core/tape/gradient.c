/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reverse mode: from y back to x, each operation turns the adjoint of its value into adjoints of its
 * arguments. It does so by recording more operations. */
#include "core/gradient.h"

#include <string.h>

#include "core/tape/op_impl.h"

/* One contribution to the adjoint of a node, in a list. */
typedef struct contribution {
    uint32_t node;
    uint32_t next; /* 1 + index; 0: the end */
} contribution;

typedef struct walk {
    gb_tape *tape;
    uint32_t low, high; /* ids from the lowest x to y */
    bool *leads;        /* [id - low]: whether the node depends on some x */
    uint32_t *first;    /* [id - low]: 1 + index into contributions */
    GB_LIST(contribution) contributions;
    GB_LIST(gb_node) terms;
} walk;

/* ---- a value that cannot be differentiated again ---- */

typedef struct once_attributes {
    const gb_op *op;
} once_attributes;

static void once_vjp(const gb_vjp *v)
{
    const once_attributes *once = v->attributes;
    gb_fail(v->tape, GB_EGRADIENT,
            "gradient: %s can be differentiated once only, and this would be a second time", once->op->name);
}

static const gb_op once_op = {.size = sizeof(gb_op),
                              .name = "once",
                              .formula = "x, whose gradient is rejected",
                              .form = GB_FORM_ALIAS,
                              .arguments = 1,
                              .vjp = once_vjp};

/* ---- the gradient of an expectation is an expectation ---- */

static void pass_adjoint(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}

static const gb_op gradient_op = {.size = sizeof(gb_op),
                                  .name = "gradient",
                                  .formula = "x, a gradient",
                                  .form = GB_FORM_ALIAS,
                                  .arguments = 1,
                                  .vjp = pass_adjoint,
                                  .closes = true};

/* y depends on no open draw. So its gradient is an expectation too, and closes the draws in it. */
static gb_node closed(gb_node gradient)
{
    return gb_node_ok(gradient) && gb_record_of(gradient)->open
               ? gb_apply(NULL, &gradient_op, 1, &gradient, NULL, 0)
               : gradient;
}

/* ---- the walk ---- */

static bool out_of_memory(gb_tape *tape)
{
    gb_fail(tape, GB_ENOMEM, "gradient: out of memory");
    return false;
}

static bool can_start(gb_node y)
{
    char text[GB_SHAPE_TEXT], axes[GB_AXES_TEXT];
    gb_tape *const tape = y.tape;
    if (!gb_usable(tape, y, "gradient"))
        return false;
    const gb_record *record = gb_record_of(y);
    if (record->type != GB_TYPE_REAL)
        gb_fail(tape, GB_EGRADIENT, "gradient: %s is not real and has none", record->op->name);
    else if (record->open)
        gb_fail(tape, GB_EGRADIENT,
                "gradient: %s depends on a draw outside an expectation; "
                "take the gradient of the expectation instead",
                record->op->name);
    else if (gb_shape_count(record->shape) != 1 || record->shape.rank != 0)
        gb_fail(tape, GB_EGRADIENT,
                "gradient: only a scalar has one, but %s has shape %s; sum or average it first",
                record->op->name, gb_shape_text(record->shape, text));
    else if (record->axes)
        gb_fail(tape, GB_EGRADIENT,
                "gradient: only a scalar has one, but %s has one value for each of: %s; "
                "sum or average over them first",
                record->op->name, gb_axes_text(tape, record->axes, axes));
    return tape->status == GB_OK;
}

static bool walk_begin(walk *w, gb_node y, const gb_node *x, size_t count)
{
    w->high = w->low = y.id;
    for (size_t i = 0; i < count; i++) {
        if (!gb_usable(w->tape, x[i], "gradient"))
            return false;
        if (gb_is_constant(x[i])) {
            gb_fail(w->tape, GB_EGRADIENT, "gradient: x is a constant; make it a variable");
            return false;
        }
        if (x[i].id < w->low)
            w->low = x[i].id;
    }
    const size_t range = (size_t)w->high - w->low + 1;
    w->leads = gb_memory_resize(&w->tape->memory, NULL, range * sizeof *w->leads);
    w->first = gb_memory_resize(&w->tape->memory, NULL, range * sizeof *w->first);
    if (!w->leads || !w->first)
        return out_of_memory(w->tape);
    memset(w->leads, 0, range * sizeof *w->leads);
    memset(w->first, 0, range * sizeof *w->first);
    for (size_t i = 0; i < count; i++)
        if (x[i].id <= w->high)
            w->leads[x[i].id - w->low] = true;
    for (uint32_t id = w->low; id <= w->high; id++) {
        const gb_record *record = &w->tape->nodes.at[id];
        for (uint32_t i = 0; i < record->args && !w->leads[id - w->low]; i++)
            w->leads[id - w->low] = record->arg[i] >= w->low && w->leads[record->arg[i] - w->low];
    }
    return true;
}

static void walk_end(walk *w)
{
    w->tape->adjoint_of = 0;
    gb_memory_release(&w->tape->memory, w->leads);
    gb_memory_release(&w->tape->memory, w->first);
    gb_memory_release(&w->tape->memory, w->contributions.at);
    gb_memory_release(&w->tape->memory, w->terms.at);
}

static bool contribute(walk *w, uint32_t to, gb_node adjoint)
{
    double value;
    if (gb_is_uniform(adjoint, &value) && value == 0)
        return true;
    if (!GB_LIST_GROW(&w->tape->memory, &w->contributions, 1))
        return out_of_memory(w->tape);
    uint32_t *const first = &w->first[to - w->low];
    w->contributions.at[w->contributions.count++] = (contribution){.node = adjoint.id, .next = *first};
    *first = (uint32_t)w->contributions.count;
    return true;
}

/* Replaces the terms from `from` on that were made by one operation with `sum_of` by their sum. */
static void merge_terms(walk *w, size_t from)
{
    const gb_op *const op = gb_node_op(w->terms.at[from]);
    size_t same = from;
    for (size_t i = from; i < w->terms.count; i++) {
        if (gb_node_op(w->terms.at[i]) != op)
            continue;
        const gb_node swap = w->terms.at[same];
        w->terms.at[same++] = w->terms.at[i];
        w->terms.at[i] = swap;
    }
    if (same - from < 2)
        return;
    const gb_node sum = op->sum_of(w->tape, same - from, &w->terms.at[from]);
    if (!gb_node_ok(sum))
        return;
    w->terms.at[from] = sum;
    memmove(&w->terms.at[from + 1], &w->terms.at[same], (w->terms.count - same) * sizeof(gb_node));
    w->terms.count -= same - from - 1;
}

/* Returns the adjoint of a node: the sum of its contributions, in its own shape and with all its hidden axes.
 * A later sum over an axis that the adjoint lacked would miss the factor of its size. */
static gb_node adjoint_of(walk *w, uint32_t id)
{
    w->terms.count = 0;
    for (uint32_t at = w->first[id - w->low]; at; at = w->contributions.at[at - 1].next) {
        if (!GB_LIST_GROW(&w->tape->memory, &w->terms, 1)) {
            out_of_memory(w->tape);
            return gb_inert();
        }
        w->terms.at[w->terms.count++] = gb_node_at(w->tape, w->contributions.at[at - 1].node);
    }
    for (size_t i = 0; i < w->terms.count; i++)
        if (gb_node_op(w->terms.at[i])->sum_of)
            merge_terms(w, i);
    const gb_node sum = gb_total(w->tape, w->terms.count, w->terms.at);
    const gb_axes axes = w->tape->nodes.at[id].axes;
    return gb_widen(gb_broadcast_to(sum, w->tape->nodes.at[id].shape), axes);
}

static bool pass_to_arguments(walk *w, uint32_t id, const gb_vjp *v)
{
    const gb_op *const op = v->op;
    for (size_t i = 0; i < v->count; i++) {
        gb_node adjoint = v->adjoint[i];
        if (!v->wanted[i] || !gb_node_ok(adjoint))
            continue;
        const gb_record *to = gb_record_of(v->arg[i]);
        adjoint = gb_sum_to(adjoint, to->shape, to->axes);
        if (op->once_differentiable) {
            const once_attributes once = {.op = op};
            adjoint = gb_apply(NULL, &once_op, 1, &adjoint, &once, sizeof once);
        }
        if (!gb_node_ok(adjoint) || !contribute(w, w->tape->nodes.at[id].arg[i], adjoint))
            return false;
    }
    return true;
}

/* Passes the adjoint of node `id` on to its arguments. */
static bool pass_on(walk *w, uint32_t id, gb_node gradient)
{
    gb_tape *const tape = w->tape;
    const gb_record record = tape->nodes.at[id]; /* a copy: recording moves the nodes */
    bool leads = false;
    for (uint32_t i = 0; i < record.args; i++)
        leads |= record.arg[i] >= w->low && w->leads[record.arg[i] - w->low];
    if (!leads || record.type != GB_TYPE_REAL)
        return true;
    if (!record.op->vjp) {
        gb_fail(tape, GB_EGRADIENT,
                "gradient: %s has no derivative (gb_stop keeps the gradient away from it)", record.op->name);
        return false;
    }
    gb_node few[8][2];
    bool few_wanted[8];
    const bool many = record.args > 8;
    gb_node *arg = many ? gb_memory_resize(&tape->memory, NULL, record.args * sizeof *arg * 2) : &few[0][0];
    bool *wanted = many ? gb_memory_resize(&tape->memory, NULL, record.args * sizeof *wanted) : few_wanted;
    bool done = false;
    if (!arg || !wanted)
        out_of_memory(tape);
    else {
        gb_node *const adjoint = arg + record.args;
        for (uint32_t i = 0; i < record.args; i++) {
            arg[i] = gb_node_at(tape, record.arg[i]);
            adjoint[i] = gb_inert();
            wanted[i] = record.arg[i] >= w->low && w->leads[record.arg[i] - w->low] &&
                        gb_record_of(arg[i])->type == GB_TYPE_REAL;
        }
        const gb_vjp v = {.tape = tape,
                          .op = record.op,
                          .attributes = record.attributes,
                          .value = gb_node_at(tape, id),
                          .gradient = gradient,
                          .count = record.args,
                          .arg = arg,
                          .wanted = wanted,
                          .adjoint = adjoint};
        record.op->vjp(&v);
        done = tape->status == GB_OK && pass_to_arguments(w, id, &v);
    }
    if (many) {
        gb_memory_release(&tape->memory, arg);
        gb_memory_release(&tape->memory, wanted);
    }
    return done;
}

static bool walk_back(walk *w, gb_node y, size_t count, const gb_node *x, gb_node *gradients)
{
    if (!contribute(w, y.id, gb_num(w->tape, 1)))
        return false;
    for (uint32_t id = w->high + 1; id-- > w->low;) {
        if (!w->leads[id - w->low] || !w->first[id - w->low])
            continue;
        w->tape->adjoint_of = id + 1;
        const gb_node gradient = adjoint_of(w, id);
        if (!gb_node_ok(gradient) || !pass_on(w, id, gradient))
            return false;
        w->first[id - w->low] = gradient.id + 1; /* from here on the finished adjoint */
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t done = x[i].id <= w->high ? w->first[x[i].id - w->low] : 0;
        gradients[i] =
            done ? closed(gb_node_at(w->tape, done - 1)) : gb_zeros(w->tape, gb_record_of(x[i])->shape);
    }
    return w->tape->status == GB_OK;
}

gb_status gb_grads(gb_node y, const gb_node *x, size_t count, gb_node *gradients)
{
    for (size_t i = 0; gradients && i < count; i++)
        gradients[i] = gb_inert();
    if (!y.tape)
        return GB_ENODE;
    if (count > 0 && (!x || !gradients))
        return gb_fail(y.tape, GB_EARGUMENT, "grads: the list of %zu %s is NULL", count,
                       x ? "gradients" : "nodes");
    if (!can_start(y))
        return y.tape->status;
    walk w = {.tape = y.tape};
    const bool done = walk_begin(&w, y, x, count) && walk_back(&w, y, count, x, gradients);
    walk_end(&w);
    for (size_t i = 0; i < count && !done; i++)
        gradients[i] = gb_inert();
    return y.tape->status;
}

gb_node gb_grad(gb_node y, gb_node x)
{
    gb_node gradient = gb_inert();
    gb_grads(y, &x, 1, &gradient);
    return gradient;
}
