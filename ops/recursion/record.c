/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_scan: checks its arguments, records the step, and returns the results. */
#include "ops/recursion.h"

#include <string.h>

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/arrays/axis_impl.h"
#include "ops/recursion/recursion_impl.h"
#include "ops/reduce.h"
#include "ops/scan.h"

static gb_node example(gb_example *e);

#define SCAN(op_name, op_formula)                                                                            \
    {                                                                                                        \
        .size = sizeof(gb_op), .name = op_name, .attribute_bytes = sizeof(gb_scan_attributes),               \
        .formula = op_formula, .form = GB_FORM_KERNEL, .variadic = true,                                     \
        .takes = {GB_TAKES_ANY, GB_TAKES_ANY, GB_TAKES_ANY}, .infer = gb_scan_infer, .vjp = gb_scan_vjp,     \
        .run = gb_scan_run, .workspace = gb_scan_workspace, .prepare = gb_scan_prepare,                      \
        .body = gb_scan_body, .example = example,                                                            \
    }
const gb_op gb_scan_op = SCAN("scan", "s, f(s, x1), f(f(s, x1), x2) …"),
            gb_scan_back_op = SCAN("scan_back", "the same from the last x to the first");
static const gb_op *const ops[] = {&gb_scan_op, &gb_scan_back_op};

/* ---- axes ---- */

/* Moves axis `from` to the place `to`. */
static gb_node move_axis(gb_node x, int from, int to)
{
    const int rank = gb_node_shape(x).rank;
    int order[GB_MAX_RANK], at = 0;
    for (int i = 0; i < rank; i++) {
        at += at == from;
        order[i] = i == to ? from : at++;
    }
    return gb_transpose(x, gb_axis_of(rank, order));
}

/* Moves the first axis to the place of the steps. An axis beyond the last becomes the last: an output may
 * have fewer axes than the inputs. */
static gb_node with_steps_at(gb_node x, int axis)
{
    const int rank = gb_node_shape(x).rank, to = axis < 0 ? axis + rank : axis;
    return rank < 1 ? x : move_axis(x, 0, to < 0 ? 0 : to < rank ? to : rank - 1);
}

/* ---- checks ---- */

static bool list_fits(gb_tape *tape, const char *what, gb_node_list list)
{
    if (list.count > 0 && !list.node) {
        gb_fail(tape, GB_EARGUMENT, "scan: %zu %s are given, but the list is NULL", list.count, what);
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (!list.node[i].tape)
            gb_fail(tape, GB_ENODE, "scan: %s %zu is no node (was it ever recorded?)", what, i);
        else if (list.node[i].tape != tape)
            gb_fail(tape, GB_ENODE, "scan: %s %zu belongs to another tape; record it on this one", what, i);
        else if (gb_node_check(list.node[i], "scan"))
            continue;
        return false;
    }
    return true;
}

static bool numbers_fit(gb_tape *tape, gb_scan_function *function, gb_node_list first,
                        const gb_scan_options *o)
{
    if (!function)
        gb_fail(tape, GB_EARGUMENT, "scan: the function that records a step is NULL");
    else if (first.count < 1 || first.count > GB_SCAN_MOST || o->outputs > GB_SCAN_MOST)
        gb_fail(tape, GB_EARGUMENT,
                "scan: %zu states and %zu outputs; there are 1 to %d states, and at most "
                "%d outputs",
                first.count, o->outputs, GB_SCAN_MOST, GB_SCAN_MOST);
    else if (o->recompute < 0)
        gb_fail(tape, GB_EARGUMENT, "scan: .recompute is %lld, and must be the length of a segment, or 0",
                (long long)o->recompute);
    else if (o->steps < 0)
        gb_fail(tape, GB_EARGUMENT, "scan: %lld steps are not possible", (long long)o->steps);
    return gb_error(tape) == GB_OK;
}

static bool first_states_fit(gb_tape *tape, gb_node_list first)
{
    for (size_t i = 0; i < first.count; i++)
        if (gb_node_type(first.node[i]) != GB_TYPE_REAL) {
            gb_fail(tape, GB_ETYPE, "scan: state %zu is not real (gb_to_real makes it so)", i);
            return false;
        }
    return true;
}

/* Stores the number of steps: the size of the inputs along the axis. */
static bool count_steps(gb_tape *tape, const gb_scan_options *o, int64_t *steps)
{
    *steps = o->steps;
    for (size_t i = 0; i < o->inputs.count; i++) {
        const gb_node input = o->inputs.node[i];
        const int along = gb_axis_from_front(input, "scan", o->axis);
        if (along < 0)
            return false;
        const int64_t size = gb_node_shape(input).size[along];
        if ((i > 0 || o->steps > 0) && size != *steps) {
            gb_fail(tape, GB_ESHAPE,
                    "scan: input %zu has %lld places along axis %d, and there are %lld steps", i,
                    (long long)size, o->axis, (long long)*steps);
            return false;
        }
        *steps = size;
    }
    return true;
}

/* ---- the step ---- */

/* What the function makes of a step, and its arguments. */
typedef struct recording {
    gb_step step;
    gb_scan_step seen;
    gb_node *stream, *input; /* the index comes last */
    gb_node start[2 * GB_SCAN_MOST], state[2 * GB_SCAN_MOST], next[2 * GB_SCAN_MOST];
    gb_node same[2 * GB_SCAN_MOST];
    gb_node output[GB_SCAN_MOST], stacked[GB_SCAN_MOST];
} recording;

static bool result_fits(gb_tape *tape, gb_node node, const char *what, size_t which)
{
    if (!node.tape)
        gb_fail(tape, GB_ENODE, "the function did not set %s %zu", what, which);
    else if (node.tape != tape)
        gb_fail(tape, GB_ENODE, "%s %zu belongs to another tape", what, which);
    else
        return gb_node_check(node, what);
    return false;
}

/* A site has its place among the sites of its expectation, and none inside a step. */
static bool has_no_site(const gb_step *step)
{
    for (uint32_t id = step->low; id < gb_tape_length(step->tape); id++) {
        const gb_node node = gb_tape_node(step->tape, id);
        const char *const name = gb_node_name(node);
        if (gb_node_op(node)->opens) {
            gb_fail(step->tape, GB_EARGUMENT,
                    "draw %s is made inside the step; call gb_draw before gb_scan, for all steps at once (a "
                    "vector along the axis), and pass the draw as an input",
                    name ? name : "without a name");
            return false;
        }
    }
    return true;
}

static void check_results(const recording *r)
{
    gb_tape *const tape = r->step.tape;
    if (!has_no_site(&r->step))
        return;
    char is[GB_SHAPE_TEXT], was[GB_SHAPE_TEXT];
    for (size_t i = 0; i < r->step.states; i++) {
        if (!result_fits(tape, r->next[i], "the next state", i))
            return;
        const gb_shape now = gb_node_shape(r->next[i]), before = gb_node_shape(r->state[i]);
        if (gb_node_type(r->next[i]) != GB_TYPE_REAL)
            gb_fail(tape, GB_ETYPE, "the next state %zu is not real (gb_to_real makes it so)", i);
        else if (!gb_shape_same(now, before))
            gb_fail(tape, GB_ESHAPE, "state %zu has shape %s, and %s after the step", i,
                    gb_shape_text(before, was), gb_shape_text(now, is));
    }
    for (size_t i = 0; i < r->step.outputs; i++)
        if (!result_fits(tape, r->output[i], "output", i))
            return;
}

static gb_node step_leaf(gb_node like, gb_axes time)
{
    return gb_body_leaf(like.tape, gb_node_shape(like), gb_node_type(like), gb_node_axes(like) & ~time);
}

static void make_outputs_states(recording *r);

/* Calls the user's function. */
static bool record_step(recording *r, gb_scan_function *function)
{
    gb_step *const step = &r->step;
    step->low = (uint32_t)gb_tape_length(step->tape);
    step->body = gb_tape_body_begin(step->tape);
    if (!step->body)
        return false;
    for (size_t i = 0; i < step->states; i++)
        r->state[i] = step_leaf(step->start[i], 0);
    for (size_t i = 0; i < step->inputs; i++)
        r->input[i] = step_leaf(r->stream[i], step->time);
    if (gb_error(step->tape) == GB_OK) {
        r->seen.index = r->input[r->seen.inputs];
        function(&r->seen);
    }
    if (gb_error(step->tape) == GB_OK && gb_node_ok(r->state[0]))
        check_results(r);
    if (gb_error(step->tape) == GB_OK && step->whole)
        make_outputs_states(r);
    else if (gb_error(step->tape) == GB_OK && gb_node_ok(r->state[0]))
        gb_step_write_as_lines(step);
    return gb_tape_body_end(step->tape, step->body, "scan, the step");
}

static bool find_streams(recording *r, const gb_scan_options *o)
{
    gb_tape *const tape = r->step.tape;
    r->step.time = gb_tape_step_axis(tape, r->step.steps);
    r->stream = gb_tape_keep(tape, 2 * (o->inputs.count + 1) * sizeof *r->stream);
    if (!r->stream)
        return false;
    r->input = r->stream + o->inputs.count + 1;
    for (size_t i = 0; o->inputs.node && i < o->inputs.count; i++)
        r->stream[i] = gb_hide(o->inputs.node[i], r->step.time);
    r->stream[o->inputs.count] = gb_axis_index(tape, r->step.time);
    return gb_error(tape) == GB_OK;
}

/* In a scan that recomputes, outputs are states that no step reads. */
static void make_outputs_states(recording *r)
{
    gb_step *const step = &r->step;
    for (size_t i = 0; i < r->seen.outputs; i++) {
        const gb_shape shape = gb_node_shape(r->output[i]);
        if (gb_node_type(r->output[i]) != GB_TYPE_REAL)
            gb_fail(step->tape, GB_ETYPE,
                    "output %zu is not real, which .recompute needs (gb_to_real makes it so)", i);
        r->start[step->states] = gb_zeros(step->tape, shape);
        r->state[step->states] = gb_body_leaf(step->tape, shape, GB_TYPE_REAL, 0);
        r->next[step->states++] = r->output[i];
    }
    step->outputs = 0;
}

/* Records one scan. `start` are the first states; inputs and outputs have the steps on their first axis. */
static bool scan_once(gb_tape *tape, gb_scan_function *function, gb_node_list first, const gb_scan_options *o,
                      bool whole, gb_scan_result *result)
{
    recording r = {.step = {.tape = tape,
                            .steps = o->steps,
                            .back = o->reverse,
                            .whole = whole,
                            .op = ops,
                            .states = first.count,
                            .start = r.start,
                            .state = r.state,
                            .next = r.next,
                            .same = r.same,
                            .inputs = o->inputs.count + 1,
                            .outputs = o->outputs,
                            .output = r.output,
                            .stacked = r.stacked},
                   .seen = {.tape = tape,
                            .user = o->user,
                            .states = first.count,
                            .inputs = o->inputs.count,
                            .outputs = o->outputs,
                            .state = r.state,
                            .next = r.next,
                            .output = r.output}};
    memcpy(r.start, first.node, first.count * sizeof *r.start);
    if (!find_streams(&r, o))
        return false;
    r.step.stream = r.stream;
    r.step.input = r.seen.input = r.input;
    gb_states states;
    if (!record_step(&r, function) || !gb_step_split(&r.step, &states))
        return false;
    for (size_t i = 0; i < first.count; i++)
        result->last[i] = gb_states_last(&states, i);
    for (size_t i = 0; i < o->outputs; i++) {
        const gb_node stacked = whole ? gb_states_after(&states, first.count + i) : r.stacked[i];
        result->output[i] = gb_reveal(stacked, r.step.time);
    }
    return gb_error(tape) == GB_OK;
}

/* ---- recomputing ----
 *
 * A scan over segments keeps the states between them. Its step is a scan over the steps of one segment; the
 * gradient of that step makes the states within again. */

typedef struct segments {
    gb_scan_function *function;
    void *user;
    bool reverse;
} segments;

/* The index of a step comes as the last input. */
static void one_step(gb_scan_step *s)
{
    const segments *const of = s->user;
    gb_scan_step seen = *s;
    seen.user = of->user;
    seen.inputs--;
    seen.index = s->input[seen.inputs];
    of->function(&seen);
}

static void one_segment(gb_scan_step *s)
{
    const segments *const of = s->user;
    const gb_scan_options o = {.inputs = {.count = s->inputs, .node = s->input},
                               .outputs = s->outputs,
                               .steps = gb_node_shape(s->input[0]).size[0],
                               .reverse = of->reverse,
                               .user = s->user};
    gb_scan_result result;
    if (!scan_once(s->tape, one_step, gb_roots_of(s->states, s->state), &o, false, &result))
        return;
    memcpy(s->next, result.last, s->states * sizeof *s->next);
    memcpy(s->output, result.output, s->outputs * sizeof *s->output);
}

/* Joins the first axis with the second. */
static gb_node segments_joined(gb_node x)
{
    const gb_shape shape = gb_node_shape(x);
    const gb_shape rest = gb_shape_of(shape.rank > 2 ? shape.rank - 2 : 0, shape.size + 2);
    return shape.rank < 2 ? x : gb_reshape(x, gb_shape_join(gb_shape(shape.size[0] * shape.size[1]), rest));
}

static gb_node in_segments(gb_node x, int64_t length)
{
    const gb_shape shape = gb_node_shape(x);
    const gb_shape rest = gb_shape_of(shape.rank > 1 ? shape.rank - 1 : 0, shape.size + 1);
    return gb_reshape(x, gb_shape_join(gb_shape(shape.size[0] / length, length), rest));
}

/* Steps that fill no segment come last. */
static bool scan_in_segments(gb_tape *tape, gb_scan_function *function, gb_node_list first,
                             const gb_scan_options *o, gb_scan_result *result)
{
    const int64_t length = o->recompute, rest = o->steps % length, full = o->steps - rest;
    const size_t count = o->inputs.count + 1;
    segments of = {.function = function, .user = o->user, .reverse = o->reverse};
    gb_node *const input = gb_tape_keep(tape, 2 * count * sizeof *input), *const part = input + count;
    const gb_axes time = gb_tape_step_axis(tape, o->steps);
    if (!input || !time)
        return false;
    if (o->inputs.node)
        memcpy(input, o->inputs.node, o->inputs.count * sizeof *input);
    input[o->inputs.count] = gb_reveal(gb_axis_index(tape, time), time);
    for (size_t i = 0; i < count; i++)
        part[i] =
            in_segments(gb_slice(input[i], 0, o->reverse ? rest : 0, o->reverse ? o->steps : full), length);
    gb_scan_options own = *o;
    own.inputs = gb_roots_of(count, part);
    own.user = &of;
    own.steps = full / length;
    if (gb_error(tape) != GB_OK || !scan_once(tape, one_segment, first, &own, true, result))
        return false;
    for (size_t i = 0; i < o->outputs; i++)
        result->output[i] = segments_joined(result->output[i]);
    if (rest == 0)
        return gb_error(tape) == GB_OK;
    gb_scan_result end;
    for (size_t i = 0; i < count; i++)
        part[i] = gb_slice(input[i], 0, o->reverse ? 0 : full, o->reverse ? rest : o->steps);
    own.steps = rest;
    if (gb_error(tape) != GB_OK ||
        !scan_once(tape, one_step, gb_roots_of(first.count, result->last), &own, false, &end))
        return false;
    memcpy(result->last, end.last, sizeof end.last);
    for (size_t i = 0; i < o->outputs; i++) {
        const gb_node parts[] = {o->reverse ? end.output[i] : result->output[i],
                                 o->reverse ? result->output[i] : end.output[i]};
        result->output[i] = gb_concat(2, parts, 0);
    }
    return gb_error(tape) == GB_OK;
}

gb_scan_result gb_scan_with(gb_tape *tape, gb_scan_function *function, gb_node_list first,
                            const gb_scan_options *options)
{
    gb_scan_result result = {0};
    gb_scan_options o;
    if (!gb_options_take(tape, "scan", &o, sizeof o, options) || gb_error(tape) != GB_OK ||
        !numbers_fit(tape, function, first, &o) || !list_fits(tape, "state", first) ||
        !list_fits(tape, "input", o.inputs) || !first_states_fit(tape, first) ||
        !count_steps(tape, &o, &o.steps))
        return result;
    gb_node *const input = gb_tape_keep(tape, (o.inputs.count + 1) * sizeof *input);
    for (size_t i = 0; i < o.inputs.count && input; i++)
        input[i] = move_axis(o.inputs.node[i], gb_axis_from_front(o.inputs.node[i], "scan", o.axis), 0);
    o.inputs.node = input;
    const bool in_segments = o.recompute > 0 && o.recompute < o.steps;
    if (gb_error(tape) != GB_OK || !(in_segments ? scan_in_segments(tape, function, first, &o, &result)
                                                 : scan_once(tape, function, first, &o, false, &result)))
        return (gb_scan_result){0};
    for (size_t i = 0; i < o.outputs; i++)
        result.output[i] = with_steps_at(result.output[i], o.axis);
    return gb_error(tape) == GB_OK ? result : (gb_scan_result){0};
}

/* ---- an example ---- */

/* a ← log(eᵃ + eᵇ + eˣ) and b ← b + c + x, with a parameter c; the output is the product of both. */
static void example_step(gb_scan_step *s)
{
    const gb_node *const c = s->user;
    const gb_node powers[] = {s->state[0], s->state[1], s->input[0]},
                  terms[] = {s->state[1], *c, s->input[0]};
    s->next[0] = gb_logsumexp_along(gb_stack(3, powers, 0), gb_axis(0));
    s->next[1] = gb_total(s->tape, 3, terms);
    s->output[0] = gb_prod_along(gb_stack(2, s->next, 0), gb_axis(0));
}

static gb_node example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 2, 0, 3);
    const gb_node first[] = {e->real(e, shape, -1, 1), e->real(e, shape, -1, 1)};
    gb_node c = e->real(e, gb_shape(), -1, 1);
    const gb_node x = e->real(e, gb_shape_join(gb_shape(e->integer(e, 0, 4)), shape), -1, 1);
    const bool reverse = e->integer(e, 0, 1);
    return gb_scan(e->tape, example_step, gb_roots_of(2, first), .inputs = gb_roots(x), .outputs = 1,
                   .reverse = reverse, .recompute = e->integer(e, 0, 2), .user = &c)
        .output[0];
}
