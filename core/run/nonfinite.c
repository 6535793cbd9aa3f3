/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the operation that made the first value that is not finite. The run is repeated with the same noise
 * and without fusion, so that every value is in memory. */
#include "core/run/nonfinite_impl.h"

#include <math.h>
#include <string.h>

#include "core/run/execute_impl.h"
#include "core/run/observed_impl.h"
#include "core/tape/leaf_impl.h"

static const void *value_address(const gb_plan *plan, const gb_planned *value)
{
    const gb_tape *tape = gb_plan_tape(plan);
    switch (value->place.kind) {
    case GB_IN_WORK: return (const char *)plan->work + value->place.offset;
    case GB_IN_DATA: return value->place.data;
    case GB_IN_VARIABLE: return tape->variables.at[value->place.slot].now;
    case GB_IN_NEXT: return tape->variables.at[value->place.slot].next;
    case GB_IN_INPUT: return tape->inputs.at[value->place.slot].data;
    case GB_NOWHERE: break;
    }
    return NULL;
}

static double element(const gb_plan *plan, const void *at, size_t i)
{
    return gb_plan_tape(plan)->options.real == GB_FLOAT ? (double)((const float *)at)[i]
                                                        : ((const double *)at)[i];
}

static gb_finding worst_of(const gb_plan *plan, const gb_planned *value)
{
    gb_finding worst = GB_FINITE;
    const void *at = value_address(plan, value);
    if (!at || value->type != GB_TYPE_REAL)
        return GB_FINITE;
    for (size_t i = 0; i < value->count; i++) {
        const double x = element(plan, at, i);
        if (isnan(x))
            return GB_NOT_A_NUMBER;
        if (isinf(x))
            worst = GB_INFINITE;
    }
    return worst;
}

/* Marks the values that `index` depends on. */
static void mark_ancestors(const gb_plan *plan, uint32_t index, bool *leads)
{
    leads[index] = true;
    for (uint32_t i = index + 1; i-- > 0;)
        if (leads[i])
            for (uint32_t a = 0; a < plan->values.at[i].args; a++)
                leads[plan->values.at[i].arg[a]] = true;
}

/* An infinite constant is intended, and so is a view of it. */
static bool is_intended(const gb_plan *plan, const gb_planned *value, gb_finding found)
{
    const gb_planned *const from = value->layout ? &plan->values.at[value->base] : value;
    return found == GB_INFINITE && from->op == &gb_constant_op;
}

/* Returns the first value on the way that is as bad as the rejected one, where all its arguments are better.
 * If there is none, the first that is bad in another way; if there is none either, an infinite constant. */
static const gb_planned *culprit(const gb_plan *plan, const bool *leads, const gb_finding *found,
                                 gb_finding rejected)
{
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < plan->values.count; i++) {
            const gb_planned *const value = &plan->values.at[i];
            const bool is_bad = pass == 0 ? found[i] == rejected : found[i] != GB_FINITE;
            if (leads[i] && is_bad && (pass == 2 || !is_intended(plan, value, found[i])))
                return value;
        }
    return NULL;
}

/* ---- where: the step of a scan ---- */

enum { WHERE_TEXT = 160 };

/* Adds ", in step T of SCAN", unless the text is full. */
static void add_step(char where[WHERE_TEXT], int64_t step, const char *scan, uint32_t node)
{
    const size_t used = strlen(where);
    snprintf(where + used, WHERE_TEXT - used, ", in step %lld of %s (node %u)", (long long)step, scan, node);
}

/* Names the row of the data set, and the place along the axes of steps for a value that is computed for all
 * steps at once. */
static void add_place(const gb_program *program, const gb_plan *plan, const gb_planned *value, size_t element,
                      char where[WHERE_TEXT])
{
    const gb_tape *const tape = gb_plan_tape(plan);
    size_t rest = element / (gb_shape_count(value->shape) ? gb_shape_count(value->shape) : 1);
    for (gb_axes axes = value->count > 0 ? value->axes : 0; axes;) {
        const int bit = 63 - __builtin_clzll(axes);
        const size_t size = (size_t)gb_plan_axis_size(plan, bit), used = strlen(where);
        if (bit == 63)
            snprintf(where + used, WHERE_TEXT - used, ", in row %lld",
                     (long long)gb_observed_row(program, rest % size));
        else if (bit > 0 && tape->axes.at[bit - 1].depth > 0)
            snprintf(where + used, WHERE_TEXT - used, ", in step %zu of a scan", rest % size);
        rest /= size;
        axes &= ~((gb_axes)1 << bit);
    }
}

/* Returns the first element that is as bad as this; 0 if none is. */
static size_t first_bad(const gb_plan *plan, const gb_planned *value, gb_finding found)
{
    const void *const at = value_address(plan, value);
    for (size_t i = 0; at && i < value->count; i++) {
        const double x = element(plan, at, i);
        if (found == GB_NOT_A_NUMBER ? isnan(x) : isinf(x))
            return i;
    }
    return 0;
}

static gb_body_plan *body_of(const gb_plan *plan, uint32_t value)
{
    gb_body_plan *body = plan->bodies_of;
    while (body && body->value != value)
        body = body->next;
    return body;
}

bool gb_plan_has_worse(const gb_plan *plan, gb_finding found)
{
    for (size_t i = 0; i < plan->values.count; i++)
        if (!plan->values.at[i].layout && worst_of(plan, &plan->values.at[i]) == found)
            return true;
    return false;
}

/* Evaluates the body of a culprit up to the first step with a value as bad, and returns the first such value
 * there, which is the culprit itself. `plan` becomes the one that has it. */
static const gb_planned *culprit_in_body(const gb_plan **plan, const gb_planned *value, gb_finding found,
                                         char where[WHERE_TEXT])
{
    gb_body_plan *const body = body_of(*plan, (uint32_t)(value - (*plan)->values.at));
    if (!body)
        return value;
    body->look_for = found;
    body->call->op->run(body->call);
    body->look_for = GB_FINITE;
    const gb_plan *const inner = body->plan;
    for (size_t i = 0; i < inner->values.count; i++) {
        const gb_planned *const made = &inner->values.at[i];
        if (made->layout || gb_is_leaf(made) || worst_of(inner, made) != found)
            continue;
        add_step(where, body->step, value->op->name, value->node);
        *plan = inner;
        return culprit_in_body(plan, made, found, where);
    }
    return value;
}

static const char *describe(const gb_tape *tape, const gb_planned *value, char text[320])
{
    const gb_record *record = &tape->nodes.at[value->node];
    char shape[GB_SHAPE_TEXT];
    const bool named = record->name != NULL;
    snprintf(text, 320, "%s%s%.60s (node %u, shape %s)", record->op->name, named ? " " : "",
             named ? record->name : "", value->node, gb_shape_text(record->shape, shape));
    return text;
}

/* Returns element `i` of a value, also if it is a view. */
static double element_of(const gb_plan *plan, const gb_planned *value, size_t i)
{
    gb_layout dense;
    const gb_layout *const layout = gb_plan_layout(plan, value, &dense);
    const void *const at = value_address(plan, value->layout ? &plan->values.at[value->base] : value);
    int64_t offset = layout->offset, rest = (int64_t)i;
    for (int axis = layout->shape.rank - 1; axis >= 0; axis--) {
        offset += rest % layout->shape.size[axis] * layout->stride[axis];
        rest /= layout->shape.size[axis];
    }
    for (int place = gb_axes_count(layout->axes) - 1; place >= 0; place--) {
        offset += rest % layout->hidden_size[place] * layout->hidden_stride[place];
        rest /= layout->hidden_size[place];
    }
    return at ? element(plan, at, (size_t)offset) : (double)NAN;
}

/* Returns the first argument that an operation rejected; NaN if it was NaN or cannot be found. */
static double rejected_argument(const gb_plan *plan, const gb_planned *value)
{
    const void *const out = value_address(plan, value);
    for (size_t i = 0; out && i < value->count; i++)
        if (isnan(element(plan, out, i)))
            return element_of(plan, &plan->values.at[value->arg[0]], i);
    return (double)NAN;
}

/* Returns whether a value is given and not computed: an input, a variable, a constant. */
static bool is_given(const gb_plan *plan, const gb_planned *value)
{
    return (value->layout ? plan->values.at[value->base].args : value->args) == 0;
}

/* Reports the error by the message of the operation, if it rejected the value. If its argument was NaN,
 * it does so only for a given argument; otherwise another operation made the NaN. */
static bool report_rejection(gb_program *program, const gb_plan *plan, const gb_planned *value,
                             char where[WHERE_TEXT])
{
    char text[320] = "";
    if (!value->op->rejection)
        return false;
    const double argument = rejected_argument(plan, value);
    if (isnan(argument) && !is_given(plan, &plan->values.at[value->arg[0]]))
        return false;
    value->op->rejection(value->attributes, argument, text, sizeof text);
    add_place(program, plan, value, first_bad(plan, value, GB_NOT_A_NUMBER), where);
    const bool overflows = isinf(argument) && !is_given(plan, &plan->values.at[value->arg[0]]);
    gb_fail(program->goal.tape, overflows ? GB_ENONFINITE : GB_EARGUMENT,
            "run: step %llu: %s%s; no variable was changed", (unsigned long long)program->step, text, where);
    return true;
}

/* Writes which value was not finite. */
static void describe_check(const gb_tape *tape, const gb_check *check, const gb_planned *rejected, char *text,
                           size_t bytes)
{
    if (rejected && rejected->op->rejection)
        rejected->op->rejection(rejected->attributes, (double)NAN, text, bytes);
    else if (check->variable == GB_NONE)
        snprintf(text, bytes, "root %s is not finite", tape->nodes.at[check->node].op->name);
    else
        snprintf(text, bytes, "the new value of variable %.100s is not finite",
                 tape->variables.at[check->variable].name);
}

/* The check of a body that failed: the values of the step that failed are still in its plan. */
static const gb_body_plan *failed_body(const gb_plan *plan, const gb_check *check)
{
    const gb_body_plan *body = check->in_body ? plan->bodies_of : NULL;
    while (body && body->outside.node != check->node)
        body = body->next;
    return body;
}

static void explain(gb_program *program, gb_plan *plan, const gb_check *check, char where[WHERE_TEXT])
{
    gb_tape *const tape = program->goal.tape;
    const gb_body_plan *const body = failed_body(plan, check);
    bool *const leads = gb_arena_take(&plan->arena, plan->values.count * sizeof *leads);
    gb_finding *const found = gb_arena_take(&plan->arena, plan->values.count * sizeof *found);
    uint32_t rejected = GB_NONE;
    char text[320] = "";
    if (!leads || !found) {
        gb_plan_out_of_memory(plan);
        return;
    }
    if (body) {
        add_step(where, body->step, plan->values.at[body->value].op->name, body->outside.node);
        explain(program, body->plan, &body->check, where);
        return;
    }
    for (uint32_t i = 0; i < plan->values.count; i++) {
        const gb_planned *value = &plan->values.at[i];
        found[i] = value->layout ? GB_FINITE : worst_of(plan, value);
        if (!gb_is_check(value))
            continue;
        const gb_check *same = &plan->checks.at[value->base];
        if (same->node == check->node && same->variable == check->variable)
            rejected = value->arg[0];
    }
    const gb_planned *first = NULL;
    if (rejected != GB_NONE && report_rejection(program, plan, &plan->values.at[rejected], where))
        return;
    if (!tape->mates.team && gb_explain_observed(program, plan->samples)) /* it runs a program */
        return;
    if (rejected != GB_NONE) {
        mark_ancestors(plan, rejected, leads);
        first = culprit(plan, leads, found, found[rejected]);
    }
    if (first && report_rejection(program, plan, first, where))
        return;
    const gb_finding worst = first ? found[first - plan->values.at] : GB_FINITE;
    const char *const kind = !first ? "non-finite" : worst == GB_NOT_A_NUMBER ? "NaN" : "infinite";
    char target[320];
    if (!first || tape->mates.team ||
        !gb_write_observed(program, plan->samples, first->node, target, sizeof target))
        describe_check(tape, check, rejected != GB_NONE ? &plan->values.at[rejected] : NULL, target,
                       sizeof target);
    const gb_plan *of = plan;
    if (first) {
        first = culprit_in_body(&of, first, worst, where);
        add_place(program, of, first, first_bad(of, first, worst), where);
    }
    gb_fail(tape, GB_ENONFINITE,
            "run: step %llu: %s; the first %s value was made by %s%s; no variable was changed",
            (unsigned long long)program->step, target, kind,
            first ? describe(tape, first, text) : "an unknown operation", where);
}

gb_status gb_explain_nonfinite(gb_program *program, const gb_plan *run, const gb_check *check)
{
    gb_plan *plan = gb_plan_new(&program->goal, run->samples, run->rows, false);
    char where[WHERE_TEXT] = "";
    if (gb_goal_team(&program->goal) ? gb_tape_agree(program->goal.tape, (gb_word){0}, NULL) : plan != NULL) {
        gb_plan_place_rows(plan, &program->goal.rows);
        gb_plan_run(plan);
        gb_plan_failed(plan);
        if (check)
            explain(program, plan, check, where);
    }
    if (plan)
        gb_plan_free(plan);
    return program->goal.tape->status;
}
