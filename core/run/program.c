/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs: compiling, freeing, and their options. */
#include "core/program.h"

#include <string.h>

#include "core/run/program_impl.h"
#include "core/tape/assign_impl.h"
#include "core/tape/leaf_impl.h"

/* ---- freeing ---- */

static void forget(gb_program *program)
{
    if (program->generation == 0)
        return;
    for (gb_plan *plan = program->plans, *next; plan; plan = next) {
        next = plan->next;
        gb_plan_free(plan);
    }
    gb_memory_release(&program->goal.tape->memory, program->goal.roots);
    gb_memory_release(&program->goal.tape->memory, program->goal.targets);
    gb_memory_release(&program->goal.tape->memory, program->goal.needed);
    gb_memory_release(&program->goal.tape->memory, program->inputs);
    *program = (gb_program){.goal.tape = program->goal.tape};
}

void gb_program_free(gb_program *program)
{
    if (!program)
        return;
    gb_tape *const tape = program->goal.tape;
    forget(program);
    size_t kept = 0; /* the oldest stay first */
    for (size_t i = 0; i < tape->programs.count; i++)
        if (tape->programs.at[i] != program)
            tape->programs.at[kept++] = tape->programs.at[i];
    tape->programs.count = kept;
    gb_memory_release(&tape->memory, program);
}

/* ---- compiling ---- */

static bool roots_fit(gb_tape *tape, gb_node_list roots)
{
    if (roots.count > 0 && !roots.node) {
        gb_fail(tape, GB_EARGUMENT, "compile: %zu roots are given, but the list is NULL", roots.count);
        return false;
    }
    for (size_t i = 0; i < roots.count; i++)
        if (!gb_usable(tape, roots.node[i], "compile") || !gb_body_is_none(roots.node[i], "compile"))
            return false;
    return true;
}

/* A variable is assigned at most once. Its `next` must exist before the first run. */
static bool add_target(gb_program *program, const struct gb_update *update)
{
    gb_tape *const tape = program->goal.tape;
    if (!gb_usable(tape, update->variable, "compile") || !gb_usable(tape, update->value, "compile") ||
        !gb_body_is_none(update->value, "compile"))
        return false;
    const uint32_t index = ((const gb_slot_index *)gb_record_of(update->variable)->attributes)->index;
    gb_variable_slot *slot = &tape->variables.at[index];
    if (slot->assigned_by == tape->compiled) {
        gb_fail(tape, GB_EPROGRAM, "compile: variable %s is assigned twice in one program", slot->name);
        return false;
    }
    slot->assigned_by = tape->compiled;
    if (!slot->next)
        slot->next = gb_allocate_aligned(&tape->memory, gb_buffer_bytes(tape, slot->count));
    if (!slot->next) {
        gb_fail(tape, GB_ENOMEM, "compile: out of memory for the new value of %s", slot->name);
        return false;
    }
    program->goal.targets[program->goal.target_count++] =
        (gb_target){.variable = index, .value = update->value.id};
    return true;
}

/* Finds the inputs that roots and assigns depend on. */
static bool find_inputs(gb_program *program)
{
    gb_tape *const tape = program->goal.tape;
    program->inputs =
        gb_memory_resize(&tape->memory, NULL, (tape->inputs.count + 1) * sizeof *program->inputs);
    if (!program->inputs || !gb_goal_mark(&program->goal)) {
        gb_fail(tape, GB_ENOMEM, "compile: out of memory");
        return false;
    }
    for (uint32_t id = program->goal.nodes; id-- > 0;) {
        const gb_record *record = &tape->nodes.at[id];
        if (!program->goal.needed[id])
            continue;
        program->counts_rows |= (record->axes & GB_ROWS) != 0;
        if (record->op == &gb_axis_size_op)
            program->counts_rows |= (*(const gb_axes *)record->attributes & GB_ROWS) != 0;
        if (record->op == &gb_input_op)
            program->inputs[program->input_count++] = ((const gb_slot_index *)record->attributes)->index;
    }
    return true;
}

static bool fill_program(gb_program *program, gb_node_list roots, gb_updates updates)
{
    gb_tape *const tape = program->goal.tape;
    program->goal.roots =
        gb_memory_resize(&tape->memory, NULL, (roots.count + 1) * sizeof *program->goal.roots);
    program->goal.targets =
        gb_memory_resize(&tape->memory, NULL, (updates.count + 1) * sizeof *program->goal.targets);
    if (!program->goal.roots || !program->goal.targets) {
        gb_fail(tape, GB_ENOMEM, "compile: out of memory");
        return false;
    }
    for (size_t i = 0; i < roots.count; i++)
        program->goal.roots[program->goal.root_count++] = roots.node[i].id;
    for (const struct gb_update *update = updates.last; update; update = update->before)
        if (!add_target(program, update))
            return false;
    return find_inputs(program);
}

gb_node_list gb_roots_of(size_t count, const gb_node *nodes)
{
    return (gb_node_list){.count = count, .node = nodes};
}

gb_program *gb_compile(gb_tape *tape, gb_node_list roots, gb_updates updates)
{
    if (!tape || tape->status != GB_OK || !roots_fit(tape, roots) ||
        !gb_updates_fit(tape, updates, "compile"))
        return NULL;
    gb_program *program = gb_memory_resize(&tape->memory, NULL, sizeof *program);
    if (!program || !GB_LIST_GROW(&tape->memory, &tape->programs, 1)) {
        gb_memory_release(&tape->memory, program);
        gb_fail(tape, GB_ENOMEM, "compile: out of memory");
        return NULL;
    }
    memset(program, 0, sizeof *program);
    tape->compiled++;
    tape->forget_program = forget;
    program->goal.tape = tape;
    program->generation = tape->generation;
    program->samples = tape->options.samples;
    tape->programs.at[tape->programs.count++] = program;
    if (!fill_program(program, roots, updates)) {
        gb_program_free(program);
        return NULL;
    }
    return program;
}

/* ---- options ---- */

bool gb_program_ok(const gb_program *program, const char *who)
{
    if (!program || program->goal.tape->status != GB_OK)
        return false;
    if (program->generation != program->goal.tape->generation) {
        gb_fail(program->goal.tape, GB_EPROGRAM,
                "%s: the program was compiled before gb_tape_reset; compile it again", who);
        return false;
    }
    return true;
}

gb_status gb_program_status(const gb_program *program)
{
    return program ? program->goal.tape->status : GB_EPROGRAM;
}

gb_status gb_program_set_samples(gb_program *program, int64_t samples)
{
    if (!gb_program_ok(program, "set_samples"))
        return gb_program_status(program);
    if (samples < 1 || samples > INT32_MAX)
        return gb_fail(program->goal.tape, GB_EARGUMENT, "set_samples: %lld samples are not possible",
                       (long long)samples);
    program->samples = samples;
    return GB_OK;
}

gb_status gb_program_set_step(gb_program *program, uint64_t step)
{
    if (!gb_program_ok(program, "set_step"))
        return gb_program_status(program);
    if (step >> GB_EVALUATION_BIT)
        return gb_fail(program->goal.tape, GB_EARGUMENT, "set_step: a step must be below 2^63");
    program->step = step;
    return GB_OK;
}

gb_tape *gb_program_tape(const gb_program *program)
{
    return program ? program->goal.tape : NULL;
}

uint64_t gb_program_step(const gb_program *program)
{
    return program ? program->step : 0;
}
