/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/observed_impl.h"

#include <math.h>
#include <string.h>

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
    gb_tape *const tape = observed->log_p.tape;
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
    double *number; /* NULL: there is no such node */
} seen;

/* What is looked at of an observation, by a program of its own. */
enum { DATA, LOG_P, OUTSIDE, LOW, HIGH, LOOKS };
typedef struct look {
    const gb_program *failed;
    gb_program *program;
    const gb_observed *o;
    bool data_alone; /* the program that failed has another log density of the same data */
    seen of[LOOKS];
} look;

static void see(look *l, const gb_plan *plan, int which, size_t root, gb_node node)
{
    const gb_planned *const value = &plan->values.at[plan->root[root]];
    const void *const at =
        value->place.kind == GB_IN_DATA ? value->place.data : (const char *)plan->work + value->place.offset;
    seen *const s = &l->of[which];
    *s = (seen){.count = value->count,
                .of_row = gb_shape_count(value->shape),
                .has_rows = (value->axes & GB_ROWS) != 0,
                .number = gb_memory_resize(&node.tape->memory, NULL, (value->count + 1) * sizeof *s->number)};
    if (s->number)
        gb_load_values(node.tape, value->type, at, s->count, s->number);
}

/* Runs the program of the look in the step that failed. */
static void look_at(look *l, int64_t samples)
{
    const gb_node all[LOOKS] = {l->o->data, l->o->log_p, l->o->outside, l->o->low, l->o->high};
    gb_node roots[LOOKS];
    int which[LOOKS], count = 0;
    for (int i = 0; i < LOOKS; i++)
        if (gb_node_ok(all[i]) && (i == DATA || !l->data_alone))
            which[count] = i, roots[count++] = all[i];
    l->program = gb_compile(l->o->log_p.tape, gb_roots_of((size_t)count, roots), gb_no_update);
    if (!l->program)
        return;
    l->program->samples = samples;
    gb_plan *const plan = gb_plan_find(l->program);
    if (!plan)
        return;
    l->program->goal.noise_step = l->failed->goal.noise_step;
    l->program->goal.rows = l->failed->goal.rows;
    gb_plan_run(plan);
    for (int i = 0; i < count; i++)
        see(l, plan, which[i], (size_t)i, roots[i]);
}

static void end_look(look *l)
{
    for (int i = 0; i < LOOKS; i++)
        gb_memory_release(&l->failed->goal.tape->memory, l->of[i].number);
    if (l->program)
        gb_program_free(l->program);
}

/* ---- words ---- */

int64_t gb_observed_row(const gb_program *program, size_t row)
{
    const gb_tape *const tape = program->goal.tape;
    for (size_t i = 0; i < program->input_count; i++) {
        const gb_input_slot *const slot = &tape->inputs.at[program->inputs[i]];
        if (slot->along == GB_ROWS)
            return slot->order ? (int64_t)slot->order[row] : slot->first + (int64_t)row;
    }
    return (int64_t)row;
}

/* Writes "row 3, element 1", as far as there are several. */
static void write_place(const look *l, const seen *s, size_t at, char *text, size_t bytes)
{
    const long long row =
        s->has_rows ? (long long)gb_observed_row(l->program, at / s->of_row % (size_t)l->program->plans->rows)
                    : 0;
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

/* Writes the datum of element `at` of s: "3", or "(1, 2, 0)" for an event. Elements of s are of the events,
 * for each sample if they vary over samples. */
static void write_datum(const look *l, const seen *s, size_t at, char *text, size_t bytes)
{
    enum { MOST = 8 };
    const seen *const data = &l->of[DATA];
    const size_t each = s->of_row && data->number ? data->of_row / s->of_row : 0;
    if (each == 0 || data->of_row % s->of_row != 0) {
        snprintf(text, bytes, "it");
        return;
    }
    const double *const datum = data->number + at % (data->count / each) * each;
    size_t used = (size_t)snprintf(text, bytes, "%s%g", each > 1 ? "(" : "", datum[0]);
    for (size_t i = 1; i < each && i < MOST && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, ", %g", datum[i]);
    if (each > 1 && used < bytes)
        snprintf(text + used, bytes - used, each > MOST ? ", ...)" : ")");
}

/* Writes the ends that depend on parameters: ", and at most 5". */
static void write_ends(const look *l, size_t at, char *text, size_t bytes)
{
    static const char *const words[] = {[LOW] = "at least", [HIGH] = "at most"};
    size_t used = 0;
    text[0] = '\0';
    for (int end = LOW; end <= HIGH && used < bytes; end++)
        if (l->of[end].number && l->of[end].count > 0)
            used += (size_t)snprintf(text + used, bytes - used, ", and %s %g", words[end],
                                     l->of[end].number[at % l->of[end].count]);
}

static bool say(const look *l, const seen *s, size_t at)
{
    char place[64], datum[160], ends[80];
    write_place(l, s, at, place, sizeof place);
    write_datum(l, s, at, datum, sizeof datum);
    write_ends(l, at, ends, sizeof ends);
    gb_fail(
        l->failed->goal.tape, GB_ENONFINITE,
        "run: step %llu: observe %s: %s is %s, and must be %s%s (the support of %s); no variable was changed",
        (unsigned long long)l->failed->step, l->o->name, place, datum, l->o->must_be, ends, l->o->law);
    return true;
}

/* ---- data outside their support ---- */

static bool say_if_outside(const look *l)
{
    const gb_observed *const o = l->o;
    const seen *const data = &l->of[DATA], *const outside = &l->of[OUTSIDE], *const log_p = &l->of[LOG_P];
    for (size_t i = 0; data->number && o->holds && i < data->count; i++)
        if (!o->holds(o->support, data->number[i]))
            return say(l, data, i);
    for (size_t i = 0; outside->number && i < outside->count; i++)
        if (outside->number[i] != 0)
            return say(l, outside, i);
    const bool by_density = data->number && !o->holds && !gb_node_ok(o->outside);
    for (size_t i = 0; by_density && log_p->number && i < log_p->count; i++)
        if (log_p->number[i] == -(double)INFINITY)
            return say(l, log_p, i);
    return false;
}

static bool is_needed(const gb_program *program, gb_node node)
{
    return node.id < program->goal.nodes && program->goal.needed[node.id];
}

bool gb_explain_observed(gb_program *program, int64_t samples)
{
    const gb_tape *const tape = program->goal.tape;
    for (const struct gb_own_observed *at = tape->observed; at; at = at->before) {
        look l = {.failed = program, .o = &at->it, .data_alone = !is_needed(program, at->it.log_p)};
        if (!gb_node_ok(at->it.data) ||
            (l.data_alone && !(program->goal.is_strict && is_needed(program, at->it.data))))
            continue;
        look_at(&l, samples);
        const bool said = say_if_outside(&l);
        end_look(&l);
        if (said)
            return true;
    }
    return gb_error(tape) != GB_OK; /* out of memory */
}

/* ---- data without a finite density ---- */

/* Returns whether node `id` depends on node `on`. */
static bool depends(const gb_tape *tape, uint32_t id, uint32_t on)
{
    bool *const leads = id >= on ? gb_memory_resize(&tape->memory, NULL, (size_t)(id - on) + 1) : NULL;
    if (!leads)
        return false;
    memset(leads, 0, (size_t)(id - on) + 1);
    leads[id - on] = true;
    for (uint32_t i = id; i > on; i--) {
        const gb_record *const record = &tape->nodes.at[i];
        for (size_t a = 0; leads[i - on] && a < record->args; a++)
            if (record->arg[a] >= on)
                leads[record->arg[a] - on] = true;
    }
    const bool does = leads[0];
    gb_memory_release(&tape->memory, leads);
    return does;
}

static bool write_if_bad(const look *l, char *text, size_t bytes)
{
    const seen *const s = &l->of[LOG_P];
    char place[64], datum[160];
    size_t at = 0, bad = 0;
    for (size_t i = s->number ? s->count : 0; i-- > 0;)
        if (!isfinite(s->number[i]))
            at = i, bad++;
    /* Without the data, only a part of the rows shows that it is due to them. */
    if (bad == 0 || (!l->of[DATA].number && bad == s->count))
        return false;
    write_place(l, s, at, place, sizeof place);
    write_datum(l, s, at, datum, sizeof datum);
    if (l->of[DATA].number)
        snprintf(text, bytes, "observe %s: %s is %s, and its log density (%s) is %g", l->o->name, place,
                 datum, l->o->law, s->number[at]);
    else
        snprintf(text, bytes, "log_likelihood %s: %s: it is %g", l->o->name, place, s->number[at]);
    return true;
}

bool gb_write_observed(gb_program *program, int64_t samples, uint32_t culprit, char *text, size_t bytes)
{
    const gb_tape *const tape = program->goal.tape;
    for (const struct gb_own_observed *at = tape->observed; at && gb_error(tape) == GB_OK; at = at->before) {
        look l = {.failed = program, .o = &at->it};
        const bool has_data = gb_node_ok(at->it.data);
        if (!is_needed(program, at->it.log_p) || (has_data && !depends(tape, culprit, at->it.data.id)))
            continue;
        look_at(&l, samples);
        const bool written = write_if_bad(&l, text, bytes);
        end_look(&l);
        if (written)
            return true;
    }
    return false;
}
