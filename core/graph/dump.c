/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps of tapes and plans, as text and as Graphviz. */
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/native/native_impl.h"
#include "core/run/plans_impl.h"
#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

/* ---- text in Graphviz labels ---- */

static void put_name(FILE *file, const char *name)
{
    for (const char *c = name; *c; c++) {
        if (*c == '"' || *c == '\\' || *c == '<' || *c == '>' || *c == '{' || *c == '}' || *c == '|')
            fputc('\\', file);
        fputc(*c == '\n' ? ' ' : *c, file);
    }
}

static gb_status dump_status(gb_tape *tape, FILE *file)
{
    if (!gb_flushed(file))
        return gb_fail(tape, GB_ESYSTEM, "dump: writing failed");
    return tape->status;
}

/* ---- the tape ---- */

static void put_value(const gb_tape *tape, const gb_record *record, FILE *file)
{
    double first;
    const gb_constant_data *constant = record->attributes;
    if (record->op == &gb_constant_op && !constant->data)
        fprintf(file, " = %g", constant->value);
    else if (record->op == &gb_variable_op) {
        const gb_variable_slot *slot =
            &tape->variables.at[((const gb_slot_index *)record->attributes)->index];
        if (slot->count == 0)
            return;
        gb_load_values(tape, GB_TYPE_REAL, slot->now, 1, &first);
        fprintf(file, " = %g%s", first, slot->count > 1 ? ", …" : "");
    }
}

static void put_type(const gb_tape *tape, const gb_record *record, FILE *file)
{
    char shape[GB_SHAPE_TEXT], axes[GB_AXES_TEXT];
    static const char *const types[] = {"", " int", " bool"};
    fprintf(file, "%s%s", gb_shape_text(record->shape, shape), types[record->type]);
    if (record->axes)
        fprintf(file, " for each of %s", gb_axes_text(tape, record->axes, axes));
}

static void put_adjoint_of(const gb_tape *tape, const gb_record *record, FILE *file)
{
    if (record->adjoint_of)
        fprintf(file, "  adjoint of %s %u", tape->nodes.at[record->adjoint_of - 1].op->name,
                record->adjoint_of - 1);
}

static void tape_text(const gb_tape *tape, FILE *file)
{
    fprintf(file, "tape of %zu nodes, %s\n", tape->nodes.count,
            tape->options.real == GB_FLOAT ? "float" : "double");
    for (size_t id = 0; id < tape->nodes.count; id++) {
        const gb_record *record = &tape->nodes.at[id];
        fprintf(file, "%5zu  %-14s", id, record->op->name);
        for (uint32_t i = 0; i < record->args && i < 8; i++)
            fprintf(file, " %u", record->arg[i]);
        fputs(record->args > 8 ? " …  " : "  ", file);
        put_type(tape, record, file);
        put_value(tape, record, file);
        if (record->name)
            fprintf(file, "  \"%s\"", record->name);
        put_adjoint_of(tape, record, file);
        fputc('\n', file);
    }
}

static void tape_graph(const gb_tape *tape, FILE *file)
{
    fputs("digraph tape {\n  node [shape=box, fontname=\"sans-serif\"];\n", file);
    for (size_t id = 0; id < tape->nodes.count; id++) {
        const gb_record *record = &tape->nodes.at[id];
        fprintf(file, "  n%zu [label=\"%zu %s", id, id, record->op->name);
        if (record->name) {
            fputc(' ', file);
            put_name(file, record->name);
        }
        fputs("\\n", file);
        put_type(tape, record, file);
        put_value(tape, record, file);
        put_adjoint_of(tape, record, file);
        fprintf(file, "\"%s%s];\n", record->op->form == GB_FORM_LEAF ? ", style=rounded" : "",
                record->adjoint_of ? ", color=gray40, fontcolor=gray40" : "");
        for (uint32_t i = 0; i < record->args; i++)
            fprintf(file, "  n%u -> n%zu;\n", record->arg[i], id);
    }
    fputs("}\n", file);
}

gb_status gb_tape_dump(const gb_tape *tape, gb_dump_format format, FILE *file)
{
    if (!tape)
        return GB_ENOMEM;
    if (!file || format == GB_DUMP_C)
        return GB_EARGUMENT;
    (format == GB_DUMP_GRAPHVIZ ? tape_graph : tape_text)(tape, file);
    return gb_flushed(file) ? tape->status : GB_ESYSTEM;
}

/* ---- the plan ---- */

/* A plan to write, and the file. `ran`: its roots have the values of the latest run. */
typedef struct shown_plan {
    const gb_plan *plan;
    bool ran;
    FILE *file;
} shown_plan;

static void put_place(const shown_plan *s, const gb_planned *value)
{
    const gb_plan *const plan = s->plan;
    FILE *const file = s->file;
    const gb_tape *tape = gb_plan_tape(plan);
    switch (value->place.kind) {
    case GB_NOWHERE: fputs(gb_is_check(value) ? "" : value->layout ? "view" : "temporary", file); break;
    case GB_IN_WORK: fprintf(file, "buffer at %zu", value->place.offset); break;
    case GB_IN_DATA: fputs("constant", file); break;
    case GB_IN_VARIABLE: fprintf(file, "variable %s", tape->variables.at[value->place.slot].name); break;
    case GB_IN_NEXT: fprintf(file, "new value of %s", tape->variables.at[value->place.slot].name); break;
    case GB_IN_INPUT: fprintf(file, "input %s", tape->inputs.at[value->place.slot].name); break;
    }
}

static void put_first_value(const shown_plan *s, const gb_planned *value)
{
    const gb_plan *const plan = s->plan;
    FILE *const file = s->file;
    double first;
    if (value->place.kind != GB_IN_WORK || !value->kept || value->count == 0 || !s->ran)
        return;
    gb_load_values(gb_plan_tape(plan), value->type, (const char *)plan->work + value->place.offset, 1,
                   &first);
    fprintf(file, " = %g%s", first, value->count > 1 ? ", …" : "");
}

static void put_planned(const shown_plan *s, uint32_t index)
{
    const gb_plan *const plan = s->plan;
    FILE *const file = s->file;
    const gb_tape *tape = gb_plan_tape(plan);
    const gb_planned *value = &plan->values.at[index];
    const gb_record *record = &tape->nodes.at[value->node];
    gb_record shown = {.shape = value->shape, .axes = value->axes, .type = value->type};
    fprintf(file, "%5u  %-14s", index, value->op->name);
    for (uint32_t i = 0; i < value->args && i < 8; i++)
        fprintf(file, " %u", value->arg[i]);
    fputs(value->args > 8 ? " …  " : "  ", file);
    put_type(tape, &shown, file);
    fputs("  ", file);
    put_place(s, value);
    put_first_value(s, value);
    fprintf(file, "  node %u", value->node);
    put_adjoint_of(tape, record, file);
    fputc('\n', file);
}

static const char *unit_title(const gb_unit *unit)
{
    if (unit->kind == GB_UNIT_KERNEL)
        return "kernel";
    if (unit->kind == GB_UNIT_COLUMNS)
        return "group, by columns";
    return unit->members > 1 ? "group" : "single";
}

static void plan_text(const shown_plan *s)
{
    const gb_plan *const plan = s->plan;
    FILE *const file = s->file;
    fprintf(file, "plan for %lld samples", (long long)plan->samples);
    if (plan->rows >= 0)
        fprintf(file, ", %lld rows", (long long)plan->rows);
    fprintf(file, ": %zu values, %zu units, %zu + %zu instructions, %zu bytes\n", plan->values.count,
            plan->units.count, plan->once, plan->code.count - plan->once,
            plan->work_bytes + plan->scratch.bytes);
    fputs("leaves and views\n", file);
    for (uint32_t i = 0; i < plan->values.count; i++)
        if (plan->values.at[i].unit == GB_NONE)
            put_planned(s, i);
    for (size_t at = 0; at < plan->units.count; at++) {
        const gb_unit *unit = &plan->units.at[plan->order[at]];
        fprintf(file, "%s of %zu elements%s\n", unit_title(unit), unit->domain,
                unit->constant ? ", once" : "");
        for (uint32_t i = unit->first; i != GB_NONE; i = plan->values.at[i].next_member)
            put_planned(s, i);
    }
    for (const gb_body_plan *body = plan->bodies_of; body; body = body->next) {
        fprintf(file, "step of value %u: ", body->value);
        plan_text(&(shown_plan){.plan = body->plan, .file = file});
    }
}

static void graph_value(const shown_plan *s, uint32_t index, const char *indent)
{
    const gb_plan *const plan = s->plan;
    FILE *const file = s->file;
    const gb_planned *value = &plan->values.at[index];
    char shape[GB_SHAPE_TEXT];
    fprintf(file, "%sv%u [label=\"%s %s\\n", indent, index, value->op->name,
            gb_shape_text(value->shape, shape));
    put_place(s, value);
    put_first_value(s, value);
    fputs("\"];\n", file);
}

static void plan_graph(const shown_plan *s)
{
    const gb_plan *const plan = s->plan;
    FILE *const file = s->file;
    fputs("digraph plan {\n  node [shape=box, fontname=\"sans-serif\"];\n", file);
    for (uint32_t i = 0; i < plan->values.count; i++)
        if (plan->values.at[i].unit == GB_NONE)
            graph_value(s, i, "  ");
    for (size_t at = 0; at < plan->units.count; at++) {
        const gb_unit *unit = &plan->units.at[plan->order[at]];
        fprintf(file, "  subgraph cluster_%zu {\n    label=\"%zu: %s, %zu elements%s\";\n", at, at,
                unit_title(unit), unit->domain, unit->constant ? ", once" : "");
        for (uint32_t i = unit->first; i != GB_NONE; i = plan->values.at[i].next_member)
            graph_value(s, i, "    ");
        fputs("  }\n", file);
    }
    for (uint32_t i = 0; i < plan->values.count; i++)
        for (uint32_t a = 0; a < plan->values.at[i].args; a++)
            fprintf(file, "  v%u -> v%u;\n", plan->values.at[i].arg[a], i);
    fputs("}\n", file);
}

gb_status gb_program_dump(gb_program *program, gb_dump_format format, FILE *file)
{
    if (gb_prepare(program) != GB_OK)
        return program ? program->goal.tape->status : GB_EPROGRAM;
    if (!file)
        return gb_fail(program->goal.tape, GB_EARGUMENT, "dump: the file is NULL");
    const gb_plan *const plan = gb_plan_find(program);
    const shown_plan shown = {.plan = plan, .ran = program->latest == plan, .file = file};
    if (format == GB_DUMP_C && !gb_native_dump(plan, file))
        return gb_fail(program->goal.tape, GB_ENOMEM, "dump: out of memory");
    if (format != GB_DUMP_C)
        (format == GB_DUMP_GRAPHVIZ ? plan_graph : plan_text)(&shown);
    return dump_status(program->goal.tape, file);
}

/* With those of bodies, which count once. */
static void add_facts(const gb_plan *plan, gb_plan_facts *facts)
{
    facts->groups += plan->groups;
    facts->instructions += plan->code.count - plan->once;
    facts->bytes += plan->work_bytes + plan->scratch.bytes * gb_plan_threads(plan) + plan->arena.bytes;
    for (size_t i = 0; i < plan->values.count; i++)
        facts->nodes += plan->values.at[i].unit != GB_NONE && !gb_is_check(&plan->values.at[i]);
    for (const gb_body_plan *body = plan->bodies_of; body; body = body->next)
        add_facts(body->plan, facts);
}

gb_status gb_program_plan(gb_program *program, gb_plan_facts *facts)
{
    if (gb_prepare(program) != GB_OK)
        return program ? program->goal.tape->status : GB_EPROGRAM;
    if (!facts)
        return gb_fail(program->goal.tape, GB_EARGUMENT, "program_plan: the place for the facts is NULL");
    *facts = (gb_plan_facts){0};
    add_facts(gb_plan_find(program), facts);
    return GB_OK;
}

const char *gb_program_native(const gb_program *program)
{
    return gb_native_words(program ? program->latest : NULL);
}
