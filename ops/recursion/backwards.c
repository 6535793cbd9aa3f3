/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient of a scan: a scan in the other direction. The adjoint of a state is what comes from its own
 * place, and what comes from the next state through the derivative of the core.
 *
 * The adjoints of the other arguments are computed for all steps at once, from those of the states. That
 * keeps all that it computes in memory. So a scan that recomputes (`whole`) computes them in its steps:
 * those of arguments with the axis of steps are states that no step reads, and the others are summed in
 * states of which only the last is kept. */
#include "ops/array.h"
#include "ops/recursion/recursion_impl.h"

static void pass(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}

/* A name of its own for an argument, by which its adjoint is asked for. */
static const gb_op argument_op = {.size = sizeof(gb_op),
                                  .name = "argument",
                                  .formula = "x, an argument of a scan",
                                  .form = GB_FORM_ALIAS,
                                  .arguments = 1,
                                  .vjp = pass};

static gb_node argument(gb_node x)
{
    return gb_apply(NULL, &argument_op, 1, &x, NULL, 0);
}

/* The nodes of a gradient that is being recorded. */
typedef struct backwards {
    const gb_vjp *v;
    const gb_scan_attributes *how;
    const gb_core *core;
    gb_states states, adjoint; /* the value of the scan, and its adjoint */
    size_t n, all;             /* states; all arguments of the core */
    gb_step step;              /* of the scan backwards */
    gb_node *start, *state, *next, *same;
    gb_node *stream, *input;
    bool *keep;
    gb_node *given, *y, *seed; /* of the core again: its given nodes, its results, their adjoints */
    gb_node *x, *slope;        /* what adjoints are asked for; these */
} backwards;

static bool allocate(backwards *b)
{
    const size_t n = b->n, all = b->all, most = n + all + 1;
    gb_node *at = gb_tape_keep(b->v->tape, (12 * most) * sizeof *at);
    b->keep = gb_tape_keep(b->v->tape, most);
    gb_node **const lists[] = {&b->start, &b->state, &b->next, &b->same, &b->given,
                               &b->y,     &b->seed,  &b->x,    &b->slope};
    if (!at || !b->keep)
        return false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++, at += most)
        *lists[i] = at;
    b->stream = at; /* two for each state, and the others */
    b->input = gb_tape_keep(b->v->tape, 3 * most * sizeof *at);
    return b->input;
}

static bool begin(backwards *b, const gb_vjp *v)
{
    *b = (backwards){.v = v, .how = v->attributes, .core = gb_core_for(v->attributes, v->count, v->arg)};
    b->states = b->adjoint = gb_states_of(v->value);
    b->adjoint.value = v->gradient;
    b->n = b->core->states;
    b->all = v->count;
    if (!allocate(b))
        return false;
    b->step = (gb_step){.tape = v->tape,
                        .time = b->how->time,
                        .steps = b->how->steps,
                        .back = !b->how->back,
                        .whole = b->how->whole,
                        .op = b->how->op,
                        .start = b->start,
                        .state = b->state,
                        .next = b->next,
                        .same = b->same,
                        .all = b->keep,
                        .stream = b->stream,
                        .input = b->input};
    return true;
}

static bool moves(const backwards *b, size_t which)
{
    return (gb_node_axes(b->v->arg[which]) & b->how->time) != 0;
}

static gb_node zeros_like(const backwards *b, gb_node x)
{
    return gb_zeros(b->v->tape, gb_node_shape(x));
}

/* ---- hidden axes ---- */

static gb_axes axes_of_states(const backwards *b)
{
    return b->core->axes | gb_axes_of_states(b->v->tape, b->how->time, b->step.inputs, b->stream);
}

/* Axes of steps within, along which the argument of a scan varies. */
static gb_axes inner_axes(const backwards *b, gb_node x)
{
    return gb_node_axes(x) & gb_tape_steps_within(b->v->tape, b->how->time) & ~b->how->time;
}

/* A state has no such axes, so they become visible ones in its adjoint, and hidden ones after that. */
static gb_node with_visible(gb_node x, gb_axes axes)
{
    for (; axes; axes &= axes - 1)
        x = gb_reveal(x, axes & (~axes + 1));
    return x;
}

static gb_node with_hidden(gb_node x, gb_axes axes)
{
    for (; axes; axes &= ~((gb_axes)1 << (63 - __builtin_clzll(axes))))
        x = gb_hide(x, (gb_axes)1 << (63 - __builtin_clzll(axes)));
    return x;
}

/* ---- the scan backwards ---- */

static size_t add_stream(backwards *b, gb_node stream)
{
    b->stream[b->step.inputs] = stream;
    return b->step.inputs++;
}

static size_t add_state(backwards *b, gb_node start, bool keep)
{
    b->start[b->step.states] = start;
    b->keep[b->step.states] = keep;
    return b->step.states++;
}

/* The streams: the adjoint of each state at its own place, the states, and the other arguments that move. */
static void find_streams(backwards *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const bool keep = b->core->all[i];
        const gb_node none = gb_widen(zeros_like(b, b->v->arg[i]), b->how->time);
        add_stream(b, !keep              ? none
                      : b->core->read[i] ? gb_states_before(&b->adjoint, i)
                                         : gb_states_after(&b->adjoint, i));
        add_stream(b, keep && b->core->read[i] ? gb_states_before(&b->states, i) : none);
    }
    for (size_t i = b->n; i < b->all; i++)
        if (moves(b, i))
            add_stream(b, b->v->arg[i]);
}

/* The states: the adjoint of each state that a step reads. Of a scan that recomputes, the adjoints of the
 * other arguments besides. */
static void find_states(backwards *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->core->read[i])
            add_state(b, gb_states_last(&b->adjoint, i), true);
    for (size_t i = b->n; i < b->all && b->how->whole; i++)
        if (b->v->wanted[i])
            add_state(b,
                      with_visible(gb_widen(zeros_like(b, b->v->arg[i]), inner_axes(b, b->v->arg[i])),
                                   inner_axes(b, b->v->arg[i])),
                      moves(b, i));
}

static void make_leaves(backwards *b)
{
    const gb_axes axes = axes_of_states(b);
    for (size_t i = 0; i < b->step.states; i++)
        b->state[i] = gb_body_leaf(b->v->tape, gb_node_shape(b->start[i]), GB_TYPE_REAL, axes);
    for (size_t i = 0; i < b->step.inputs; i++)
        b->input[i] = gb_body_leaf(b->v->tape, gb_node_shape(b->stream[i]), gb_node_type(b->stream[i]),
                                   gb_node_axes(b->stream[i]) & ~b->how->time);
}

/* Gives the core its arguments, and lists those whose adjoints a step computes. An argument with all hidden
 * axes has an adjoint for each of their places; the engine sums those of the result. */
static size_t give_arguments(backwards *b)
{
    const gb_axes axes = axes_of_states(b);
    size_t asked = 0, at = 2 * b->n;
    for (size_t i = 0, state = 0; i < b->n; i++) {
        const bool reads = b->core->read[i];
        b->given[i] = gb_widen(b->input[2 * i + 1], axes);
        b->seed[i] = reads ? b->state[state++] : b->input[2 * i];
        if (reads)
            b->x[asked++] = b->given[i];
    }
    for (size_t i = b->n; i < b->all; i++) {
        b->given[i] = moves(b, i) ? b->input[at++] : b->v->arg[i];
        if (b->how->whole && b->v->wanted[i])
            b->x[asked++] = b->given[i] = gb_widen(argument(b->given[i]), axes);
    }
    return asked;
}

static gb_node sum_of(gb_node a, gb_node b)
{
    return !gb_node_ok(b) ? a : !gb_node_ok(a) ? b : gb_total(a.tape, 2, (const gb_node[]){a, b});
}

/* Records the next adjoints. `b->slope` is in the order of the states. */
static void record_next(backwards *b)
{
    size_t state = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->core->read[i]) {
            b->next[state] = sum_of(b->core->all[i] ? b->input[2 * i] : (gb_node){0}, b->slope[state]);
            state++;
        }
    for (size_t i = b->n; i < b->all && b->how->whole; i++)
        if (b->v->wanted[i]) {
            const gb_node slope = with_visible(b->slope[state], inner_axes(b, b->v->arg[i]));
            b->next[state] = sum_of(b->keep[state] ? (gb_node){0} : b->state[state], slope);
            state++;
        }
    for (size_t i = 0; i < b->step.states; i++)
        if (!gb_node_ok(b->next[i]))
            b->next[i] = zeros_like(b, b->start[i]);
}

static bool scan_backwards(backwards *b, gb_states *adjoints)
{
    gb_tape *const tape = b->v->tape;
    find_streams(b);
    find_states(b);
    if (b->step.states == 0)
        return true;
    b->step.low = (uint32_t)gb_tape_length(tape);
    b->step.body = gb_tape_body_begin(tape);
    if (!b->step.body)
        return false;
    make_leaves(b);
    const size_t asked = give_arguments(b);
    if (gb_core_copy(tape, b->core, b->given, b->y))
        gb_adjoints(b->n, b->y, b->seed, asked, b->x, b->slope);
    if (gb_error(tape) == GB_OK)
        record_next(b);
    if (gb_error(tape) == GB_OK && !b->how->whole)
        gb_step_write_as_lines(&b->step);
    if (!gb_tape_body_end(tape, b->step.body, "scan, the derivative of its step"))
        return false;
    return gb_step_split(&b->step, adjoints);
}

/* ---- the adjoints of the arguments ---- */

/* Computes them for all steps at once. */
static void adjoints_at_once(backwards *b, const gb_states *adjoints)
{
    size_t asked = 0;
    for (size_t i = 0, state = 0; i < b->n; i++) {
        b->given[i] = gb_states_before(&b->states, i);
        b->seed[i] = b->core->read[i] ? gb_states_before(adjoints, state++) : gb_states_after(&b->adjoint, i);
    }
    for (size_t i = b->n; i < b->all; i++) {
        b->given[i] = b->v->arg[i];
        if (b->v->wanted[i])
            b->x[asked++] = b->given[i] = argument(b->v->arg[i]);
    }
    if (asked == 0 || !gb_core_copy(b->v->tape, b->core, b->given, b->y))
        return;
    gb_adjoints(b->n, b->y, b->seed, asked, b->x, b->slope);
    for (size_t i = b->n, at = 0; i < b->all; i++)
        if (b->v->wanted[i])
            b->v->adjoint[i] = b->slope[at++];
}

void gb_scan_vjp(const gb_vjp *v)
{
    backwards b;
    gb_states adjoints = {0};
    size_t state = 0;
    if (!begin(&b, v) || !scan_backwards(&b, &adjoints))
        return;
    for (size_t i = 0; i < b.n; i++) {
        const bool reads = b.core->read[i];
        if (v->wanted[i])
            v->adjoint[i] = reads ? gb_states_last(&adjoints, state) : gb_states_first(&b.adjoint, i);
        state += reads;
    }
    if (!b.how->whole) {
        adjoints_at_once(&b, &adjoints);
        return;
    }
    for (size_t i = b.n; i < b.all; i++)
        if (v->wanted[i]) {
            v->adjoint[i] = with_hidden(moves(&b, i) ? gb_states_after(&adjoints, state)
                                                     : gb_states_last(&adjoints, state),
                                        inner_axes(&b, v->arg[i]));
            state++;
        }
}
