/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading values, and printing them. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/run/plans_impl.h"
#include "core/run/together_impl.h"
#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

/* A node's value in memory. */
typedef struct found_value {
    const void *at;
    size_t count;
    gb_axes axes;
    int64_t hidden_size[GB_MAX_HIDDEN];
    gb_program *temporary; /* made for this call, which frees it */
    bool count_only;       /* do not compute the value */
    double number[GB_LINE_BYTES / sizeof(double)];
} found_value;

static const void *root_address(const gb_plan *plan, uint32_t index)
{
    const gb_planned *value = &plan->values.at[index];
    return value->place.kind == GB_IN_DATA ? value->place.data
                                           : (const char *)plan->work + value->place.offset;
}

static void found_in_plan(const gb_plan *plan, uint32_t index, found_value *found)
{
    const gb_planned *value = &plan->values.at[index];
    gb_layout layout;
    gb_plan_dense(plan, value->axes, value->shape, &layout);
    found->at = root_address(plan, index);
    found->count = value->count;
    found->axes = value->axes;
    memcpy(found->hidden_size, layout.hidden_size, sizeof found->hidden_size);
}

/* Finds variables and constants, which need no program. */
static bool find_leaf(gb_node node, const char *who, found_value *found)
{
    gb_tape *const tape = node.tape;
    const gb_record *record = gb_record_of(node);
    found->count = gb_shape_count(record->shape);
    if (record->op == &gb_variable_op) {
        const gb_variable_slot *const slot =
            &tape->variables.at[((const gb_slot_index *)record->attributes)->index];
        if (found->count_only || gb_variable_has_value(tape, slot, who))
            found->at = slot->now;
    } else if (record->op == &gb_constant_op) {
        const gb_constant_data *constant = record->attributes;
        gb_store_values(tape, record->type, found->number, 1, gb_fill(constant->value));
        found->at = constant->data ? constant->data : found->number;
    }
    return found->at != NULL;
}

/* Finds the node among the roots of the programs that have run. The latest run counts. */
static bool find_root(gb_node node, found_value *found)
{
    const gb_program *latest = NULL;
    size_t root = 0;
    for (size_t p = 0; p < node.tape->programs.count; p++) {
        const gb_program *program = node.tape->programs.at[p];
        for (size_t i = 0; program->ran && i < program->goal.root_count; i++)
            if (program->goal.roots[i] == node.id && (!latest || program->ran > latest->ran)) {
                latest = program;
                root = i;
            }
    }
    if (latest)
        found_in_plan(latest->latest, latest->latest->root[root], found);
    return latest != NULL;
}

static bool evaluate(gb_node node, found_value *found)
{
    gb_tape *const tape = node.tape;
    if (tape->runs > 0) {
        gb_fail(tape, GB_EREAD, "read: no program that has run keeps %s %s (node %u); make it a root of one",
                gb_node_op_name(node), gb_node_name(node), node.id);
        return false;
    }
    found->temporary = gb_compile(tape, (gb_node_list){.count = 1, .node = &node}, gb_no_update);
    if (!found->temporary)
        return false;
    gb_plan *const plan = gb_plan_find(found->temporary);
    if (found->count_only ? !plan : !gb_program_go(found->temporary, plan))
        return false;
    found_in_plan(plan, plan->root[0], found);
    return true;
}

static bool find_value(gb_node node, const char *who, found_value *found)
{
    *found = (found_value){.count_only = found->count_only};
    if (!node.tape || !gb_usable(node.tape, node, who))
        return false;
    return find_leaf(node, who, found) ||
           (gb_error(node.tape) == GB_OK && (find_root(node, found) || evaluate(node, found)));
}

size_t gb_value_count(gb_node node)
{
    found_value found = {.count_only = true};
    const bool there = find_value(node, "value_count", &found);
    gb_program_free(found.temporary);
    return there ? found.count : 0;
}

gb_status gb_read(gb_node node, double *values, size_t count)
{
    found_value found = {0};
    if (find_value(node, "read", &found)) {
        if (found.count != count)
            gb_fail(node.tape, GB_EREAD, "read: %s %s has %zu elements, not %zu", gb_node_op_name(node),
                    gb_node_name(node), found.count, count);
        else if (!values && count > 0)
            gb_fail(node.tape, GB_EARGUMENT, "read: the array for the values is NULL");
        else
            gb_load_values(node.tape, gb_node_type(node), found.at, count, values);
    }
    gb_program_free(found.temporary);
    return node.tape ? node.tape->status : GB_ENODE;
}

double gb_value(gb_node node)
{
    double value = NAN;
    gb_read(node, &value, 1);
    return gb_error(node.tape) == GB_OK ? value : NAN;
}

/* Records why a root cannot be read. */
static gb_status root_error(const gb_program *program, size_t which, const double *values)
{
    gb_tape *const tape = program ? program->goal.tape : NULL;
    if (!tape || !gb_program_ok(program, "read_root"))
        return gb_program_status(program);
    if (which >= program->goal.root_count)
        return gb_fail(tape, GB_EARGUMENT, "read_root: there is no root %zu; the program has %zu", which,
                       program->goal.root_count);
    if (!values)
        return gb_fail(tape, GB_EARGUMENT, "read_root: the array for the values is NULL");
    return gb_fail(tape, GB_EREAD, "read_root: the program has not run, or its latest run failed");
}

gb_status gb_read_root(const gb_program *program, size_t which, double *values)
{
    const gb_tape *const tape = program ? program->goal.tape : NULL;
    if (!tape || tape->status != GB_OK || program->ran == 0 || which >= program->goal.root_count || !values)
        return root_error(program, which, values); /* after a reset a program has no roots */
    const gb_plan *const plan = program->latest;
    const uint32_t index = plan->root[which];
    const gb_planned *const value = &plan->values.at[index];
    gb_load_values(tape, value->type, root_address(plan, index), value->count, values);
    return GB_OK;
}

size_t gb_program_root_count(const gb_program *program, size_t which)
{
    const gb_tape *const tape = program ? program->goal.tape : NULL;
    if (!tape || tape->status != GB_OK || program->ran == 0 || which >= program->goal.root_count)
        return 0;
    return program->latest->values.at[program->latest->root[which]].count;
}

/* ---- printing ---- */

enum { PRINT_RANK = GB_MAX_HIDDEN + GB_MAX_RANK, PRINT_EDGE = 3, PRINT_WHOLE = 1000 };

typedef struct printer {
    FILE *file;
    const gb_tape *tape;
    gb_type type;
    const char *at;
    int rank;
    int64_t size[PRINT_RANK];
    bool abridged;
} printer;

static void print_number(const printer *p, size_t index)
{
    double x;
    gb_load_values(p->tape, p->type, p->at + index * gb_width(p->tape), 1, &x);
    if (p->type == GB_TYPE_BOOL)
        fputs(x != 0 ? "true" : "false", p->file);
    else
        fprintf(p->file, "%.6g", x);
}

/* Prints the elements along an axis, nested; an abridged print leaves out the middle. */
static void print_axis(const printer *p, int axis, size_t index)
{
    if (axis == p->rank) {
        print_number(p, index);
        return;
    }
    size_t each = 1;
    for (int i = axis + 1; i < p->rank; i++)
        each *= (size_t)p->size[i];
    fputc('[', p->file);
    for (int64_t i = 0; i < p->size[axis]; i++) {
        if (p->abridged && i == PRINT_EDGE && p->size[axis] > 2 * PRINT_EDGE) {
            fputs(", …", p->file);
            i = p->size[axis] - PRINT_EDGE;
        }
        if (i > 0) {
            fputc(',', p->file);
            for (int indent = 0; axis < p->rank - 1 && indent <= axis; indent++)
                fputs(indent ? " " : "\n ", p->file);
            if (axis == p->rank - 1)
                fputc(' ', p->file);
        }
        print_axis(p, axis + 1, index + (size_t)i * each);
    }
    fputc(']', p->file);
}

gb_status gb_print(gb_node node, FILE *file)
{
    found_value found = {0};
    char shape[GB_SHAPE_TEXT], axes[GB_AXES_TEXT];
    if (!file && node.tape)
        gb_fail(node.tape, GB_EARGUMENT, "print: the file is NULL");
    else if (find_value(node, "print", &found)) {
        const gb_record *record = gb_record_of(node);
        printer p = {.file = file,
                     .tape = node.tape,
                     .type = record->type,
                     .at = found.at,
                     .abridged = found.count > PRINT_WHOLE};
        for (int i = 0; i < gb_axes_count(found.axes); i++)
            p.size[p.rank++] = found.hidden_size[i];
        for (int i = 0; i < record->shape.rank; i++)
            p.size[p.rank++] = record->shape.size[i];
        fprintf(file, "%s %s", record->name ? record->name : record->op->name,
                gb_shape_text(record->shape, shape));
        if (found.axes)
            fprintf(file, " for each of %s", gb_axes_text(node.tape, found.axes, axes));
        fputs(" = ", file);
        print_axis(&p, 0, 0);
        fputc('\n', file);
        if (!gb_flushed(file))
            gb_fail(node.tape, GB_ESYSTEM, "print: writing failed");
    }
    gb_program_free(found.temporary);
    return node.tape ? node.tape->status : GB_ENODE;
}
