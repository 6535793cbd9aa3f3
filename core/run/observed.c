/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/observed_impl.h"

#include <math.h>

#include "core/run/execute_impl.h"
#include "core/run/plans_impl.h"
#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

struct gb_own_observed {
    const struct gb_own_observed *before;
    gb_observed it;
};

void gb_observed_note(const gb_observed *observed)
{
    gb_tape *const tape = observed->data.tape;
    struct gb_own_observed *const made = gb_tape_keep(tape, sizeof *made);
    if (!made)
        return;
    *made = (struct gb_own_observed){.before = tape->observed, .it = *observed};
    tape->observed = made;
}

void gb_feed_is_of(gb_node input, const uint32_t *order, int64_t first)
{
    const gb_slot_index *const slot = gb_record_of(input)->attributes;
    input.tape->inputs.at[slot->index].order = order;
    input.tape->inputs.at[slot->index].first = first;
}

/* The numbers of a node in the run that failed. */
typedef struct seen {
    size_t count, of_row; /* all; those of a row */
    bool has_rows;
    double *number;
} seen;

static seen see(const gb_plan *plan, size_t root, gb_node node)
{
    const gb_planned *const value = &plan->values.at[plan->root[root]];
    const void *const at =
        value->place.kind == GB_IN_DATA ? value->place.data : (const char *)plan->work + value->place.offset;
    seen s = {.count = value->count,
              .of_row = gb_shape_count(value->shape),
              .has_rows = (value->axes & GB_ROWS) != 0,
              .number = gb_memory_resize(&node.tape->memory, NULL, (value->count + 1) * sizeof *s.number)};
    if (s.number)
        gb_load_values(node.tape, value->type, at, s.count, s.number);
    return s;
}

/* The row of the data set, as far as it is known where the rows come from. */
static int64_t row_of(const gb_program *look, size_t row)
{
    const gb_tape *const tape = look->goal.tape;
    for (size_t i = 0; i < look->input_count; i++) {
        const gb_input_slot *const slot = &tape->inputs.at[look->inputs[i]];
        if (slot->along == GB_ROWS)
            return slot->order ? (int64_t)slot->order[row] : slot->first + (int64_t)row;
    }
    return (int64_t)row;
}

/* Writes "row 3, element 1 ", as far as there are several. */
static void write_place(const gb_program *look, const seen *s, size_t at, char *text, size_t bytes)
{
    const long long row =
        s->has_rows ? (long long)row_of(look, at / s->of_row % (size_t)look->plans->rows) : 0;
    const size_t element = at % s->of_row;
    if (s->has_rows && s->of_row > 1)
        snprintf(text, bytes, "row %lld, element %zu", row, element);
    else if (s->has_rows)
        snprintf(text, bytes, "row %lld", row);
    else if (s->of_row > 1)
        snprintf(text, bytes, "element %zu", element);
    else
        snprintf(text, bytes, "the value");
}

static bool say(const gb_program *program, const gb_program *look, const gb_observed *o, const seen *s,
                size_t at, bool has_value)
{
    char place[64], value[48] = "is outside the support";
    write_place(look, s, at, place, sizeof place);
    if (has_value)
        snprintf(value, sizeof value, "is %g", s->number[at]);
    gb_fail(program->goal.tape, GB_ENONFINITE,
            "run: step %llu: observe %s: %s %s, and must be %s (the support of %s); no variable was changed",
            (unsigned long long)program->step, o->name, place, value, o->must_be, o->law);
    return true;
}

static bool say_if_outside(const gb_program *program, const gb_program *look, const gb_plan *plan,
                           const gb_observed *o)
{
    const gb_memory *const memory = &program->goal.tape->memory;
    const bool asks = gb_node_ok(o->outside);
    const seen data = see(plan, 0, o->data), other = see(plan, 1, asks ? o->outside : o->log_p);
    bool said = false;
    for (size_t i = 0; data.number && o->holds && i < data.count && !said; i++)
        if (!o->holds(o->support, data.number[i]))
            said = say(program, look, o, &data, i, true);
    const bool is_seen = other.number && (asks || !o->holds);
    for (size_t i = 0; is_seen && i < other.count && !said; i++)
        if (asks ? other.number[i] != 0 : other.number[i] == -(double)INFINITY)
            said = say(program, look, o, data.count == other.count ? &data : &other, i,
                       data.count == other.count);
    gb_memory_release(memory, data.number);
    gb_memory_release(memory, other.number);
    return said;
}

/* The data are looked at by a program of their own, in the step that failed. */
static bool look_at(const gb_program *program, int64_t samples, const gb_observed *o)
{
    const gb_node nodes[] = {o->data, gb_node_ok(o->outside) ? o->outside : o->log_p};
    gb_program *const look = gb_compile(o->data.tape, gb_roots_of(2, nodes), gb_no_update);
    if (!look)
        return false;
    look->samples = samples;
    gb_plan *const plan = gb_plan_find(look);
    bool said = false;
    if (plan) {
        look->goal.noise_step = program->goal.noise_step;
        gb_plan_run(plan);
        said = say_if_outside(program, look, plan, o);
    }
    gb_program_free(look);
    return said;
}

bool gb_explain_observed(gb_program *program, int64_t samples)
{
    const gb_goal *const goal = &program->goal;
    for (const struct gb_own_observed *at = goal->tape->observed; at; at = at->before) {
        const uint32_t id = at->it.log_p.id;
        if (id < goal->nodes && goal->needed[id] && look_at(program, samples, &at->it))
            return true;
    }
    return gb_error(goal->tape) != GB_OK; /* out of memory */
}
