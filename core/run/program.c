/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs: made of roots and assigns, planned for the sizes at hand, and run as transactions. */
#include "core/program.h"

#include <string.h>

#include "core/kernels/flush_impl.h"
#include "core/plan/plan_impl.h"

/* ---- assigns ---- */

struct gb_update {
    const struct gb_update *before;
    gb_node variable, value;
};

static gb_updates updates_add(gb_updates to, gb_tape *tape, gb_node variable, gb_node value)
{
    struct gb_update *update = gb_arena_take(&tape->arena, sizeof *update);
    if (!update) {
        gb_fail(tape, GB_ENOMEM, "assign: out of memory");
        return gb_no_update;
    }
    *update = (struct gb_update){.before = to.last, .variable = variable, .value = value};
    return (gb_updates){.tape = tape, .last = update, .count = to.count + 1, .generation = tape->generation};
}

gb_updates gb_assign(gb_node variable, gb_node value)
{
    gb_tape *const tape = variable.tape ? variable.tape : value.tape;
    char to[GB_SHAPE_TEXT], from[GB_SHAPE_TEXT], axes[GB_AXES_TEXT];
    if (!tape || !gb_usable(tape, variable, "assign") || !gb_usable(tape, value, "assign"))
        return gb_no_update;
    const gb_record *target = &tape->nodes.at[variable.id], *source = &tape->nodes.at[value.id];
    if (target->op != &gb_variable_op)
        gb_fail(tape, GB_EARGUMENT, "assign: only a variable can be assigned, not a result of %s",
                target->op->name);
    else if (source->type != GB_TYPE_REAL)
        gb_fail(tape, GB_ETYPE, "assign: the value for %s is not real (gb_to_real makes it so)",
                target->name);
    else if (source->axes)
        gb_fail(tape, GB_ESHAPE,
                "assign: the value for %s has one element for each of: %s; sum or average them first",
                target->name, gb_axes_text(tape, source->axes, axes));
    else if (!gb_shape_equal(target->shape, source->shape))
        gb_fail(tape, GB_ESHAPE, "assign: %s has shape %s, its value %s", target->name,
                gb_shape_text(target->shape, to), gb_shape_text(source->shape, from));
    else
        return updates_add(gb_no_update, tape, variable, value);
    return gb_no_update;
}

/* Of this tape, and of this recording. */
static bool updates_fit(gb_tape *tape, gb_updates updates, const char *who)
{
    if (tape->status != GB_OK || !updates.tape)
        return tape->status == GB_OK;
    if (updates.tape != tape)
        gb_fail(tape, GB_EPROGRAM, "%s: the assigns belong to another tape", who);
    else if (updates.generation != tape->generation)
        gb_fail(tape, GB_EPROGRAM, "%s: the assigns were made before gb_tape_reset; make them again", who);
    return tape->status == GB_OK;
}

gb_updates gb_updates_join(gb_updates a, gb_updates b)
{
    if (!a.tape || !b.tape)
        return b.tape ? b : a;
    if (!updates_fit(a.tape, a, "join") || !updates_fit(a.tape, b, "join"))
        return gb_no_update;
    const gb_updates shorter = a.count < b.count ? a : b;
    gb_updates joined = a.count < b.count ? b : a;
    for (const struct gb_update *update = shorter.last; update && joined.tape; update = update->before)
        joined = updates_add(joined, a.tape, update->variable, update->value);
    return joined;
}

/* ---- compiling ---- */

static bool roots_fit(gb_tape *tape, gb_node_list roots)
{
    if (roots.count > 0 && !roots.node) {
        gb_fail(tape, GB_EARGUMENT, "compile: %zu roots, but no list of them", roots.count);
        return false;
    }
    for (size_t i = 0; i < roots.count; i++)
        if (!gb_usable(tape, roots.node[i], "compile"))
            return false;
    return true;
}

/* A variable has one new value; `next` must be there before the first run. */
static bool add_target(gb_program *program, const struct gb_update *update)
{
    gb_tape *const tape = program->tape;
    if (!gb_usable(tape, update->variable, "compile") || !gb_usable(tape, update->value, "compile"))
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
    program->targets[program->target_count++] = (gb_target){.variable = index, .value = update->value.id};
    return true;
}

/* The inputs that roots and assigns depend on. An alias depends on its first argument only. */
static bool find_inputs(gb_program *program)
{
    gb_tape *const tape = program->tape;
    bool *needed = gb_memory_resize(&tape->memory, NULL, tape->nodes.count + 1);
    program->inputs =
        gb_memory_resize(&tape->memory, NULL, (tape->inputs.count + 1) * sizeof *program->inputs);
    if (!needed || !program->inputs) {
        gb_memory_release(&tape->memory, needed);
        gb_fail(tape, GB_ENOMEM, "compile: out of memory");
        return false;
    }
    memset(needed, 0, tape->nodes.count + 1);
    for (size_t i = 0; i < program->root_count; i++)
        needed[program->roots[i]] = true;
    for (size_t i = 0; i < program->target_count; i++)
        needed[program->targets[i].value] = true;
    for (size_t id = tape->nodes.count; id-- > 0;) {
        const gb_record *record = &tape->nodes.at[id];
        if (!needed[id])
            continue;
        program->counts_rows |= (record->axes & GB_ROWS) != 0;
        if (record->op == &gb_axis_size_op)
            program->counts_rows |= (*(const gb_axes *)record->attributes & GB_ROWS) != 0;
        if (record->op == &gb_input_op)
            program->inputs[program->input_count++] = ((const gb_slot_index *)record->attributes)->index;
        for (uint32_t i = 0; i < (record->op->form == GB_FORM_ALIAS ? 1 : record->args); i++)
            needed[record->arg[i]] = true;
    }
    gb_memory_release(&tape->memory, needed);
    return true;
}

static bool fill_program(gb_program *program, gb_node_list roots, gb_updates updates)
{
    gb_tape *const tape = program->tape;
    program->roots = gb_memory_resize(&tape->memory, NULL, (roots.count + 1) * sizeof *program->roots);
    program->targets = gb_memory_resize(&tape->memory, NULL, (updates.count + 1) * sizeof *program->targets);
    if (!program->roots || !program->targets) {
        gb_fail(tape, GB_ENOMEM, "compile: out of memory");
        return false;
    }
    for (size_t i = 0; i < roots.count; i++)
        program->roots[program->root_count++] = roots.node[i].id;
    for (const struct gb_update *update = updates.last; update; update = update->before)
        if (!add_target(program, update))
            return false;
    return find_inputs(program);
}

gb_program *gb_compile(gb_tape *tape, gb_node_list roots, gb_updates updates)
{
    if (!tape || tape->status != GB_OK || !roots_fit(tape, roots) || !updates_fit(tape, updates, "compile"))
        return NULL;
    gb_program *program = gb_memory_resize(&tape->memory, NULL, sizeof *program);
    if (!program || !GB_LIST_GROW(&tape->memory, &tape->programs, 1)) {
        gb_memory_release(&tape->memory, program);
        gb_fail(tape, GB_ENOMEM, "compile: out of memory");
        return NULL;
    }
    memset(program, 0, sizeof *program);
    tape->compiled++;
    program->tape = tape;
    program->generation = tape->generation;
    program->samples = tape->options.samples;
    tape->programs.at[tape->programs.count++] = program;
    if (!fill_program(program, roots, updates)) {
        gb_program_free(program);
        return NULL;
    }
    return program;
}

void gb_program_forget(gb_program *program)
{
    if (!program || program->generation == 0)
        return;
    for (gb_plan *plan = program->plans, *next; plan; plan = next) {
        next = plan->next;
        gb_plan_free(plan);
    }
    gb_memory_release(&program->tape->memory, program->roots);
    gb_memory_release(&program->tape->memory, program->targets);
    gb_memory_release(&program->tape->memory, program->inputs);
    *program = (gb_program){.tape = program->tape};
}

void gb_program_free(gb_program *program)
{
    if (!program)
        return;
    gb_tape *const tape = program->tape;
    gb_program_forget(program);
    for (size_t i = 0; i < tape->programs.count; i++)
        if (tape->programs.at[i] == program)
            tape->programs.at[i] = tape->programs.at[--tape->programs.count];
    gb_memory_release(&tape->memory, program);
}

/* ---- settings ---- */

bool gb_program_ok(gb_program *program, const char *who)
{
    if (!program || program->tape->status != GB_OK)
        return false;
    if (program->generation != program->tape->generation) {
        gb_fail(program->tape, GB_EPROGRAM,
                "%s: the program was compiled before gb_tape_reset; compile it again", who);
        return false;
    }
    return true;
}

static gb_status program_status(const gb_program *program)
{
    return program ? program->tape->status : GB_EPROGRAM;
}

gb_status gb_set_samples(gb_program *program, int64_t samples)
{
    if (!gb_program_ok(program, "set_samples"))
        return program_status(program);
    if (samples < 1 || samples > INT32_MAX)
        return gb_fail(program->tape, GB_EARGUMENT, "set_samples: %lld samples are not possible",
                       (long long)samples);
    program->samples = samples;
    return GB_OK;
}

enum { LOOKING_BIT = 63 }; /* of the step that streams see: the half for programs that only look */

gb_status gb_set_step(gb_program *program, uint64_t step)
{
    if (!gb_program_ok(program, "set_step"))
        return program_status(program);
    if (step >> LOOKING_BIT)
        return gb_fail(program->tape, GB_EARGUMENT, "set_step: steps end below 2^63");
    program->step = step;
    return GB_OK;
}

gb_tape *gb_program_tape(const gb_program *program)
{
    return program ? program->tape : NULL;
}

uint64_t gb_step(const gb_program *program)
{
    return program ? program->step : 0;
}

/* ---- plans ---- */

void gb_plan_free(gb_plan *plan)
{
    const gb_memory *memory = &gb_plan_tape(plan)->memory;
    void *const lists[] = {plan->values.at, plan->units.at,          plan->once.at,
                           plan->code.at,   plan->once_temporary.at, plan->code_temporary.at,
                           plan->fixups.at, plan->watches.at,        plan->checks.at};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        gb_memory_release(memory, lists[i]);
    gb_release_aligned(memory, plan->work);
    gb_release_aligned(memory, plan->scratch);
    gb_arena_free(&plan->arena);
    gb_memory_release(memory, plan);
}

/* Threads are started when a plan first has arrays that are worth sharing out. */
static bool find_workers(gb_plan *plan)
{
    enum { WORTH_SHARING = 30000 };
    gb_tape *const tape = gb_plan_tape(plan);
    size_t most = 0;
    for (size_t i = 0; i < plan->values.count; i++)
        most = plan->values.at[i].count > most ? plan->values.at[i].count : most;
    if (tape->options.threads == 1 || most < WORTH_SHARING)
        return true;
    if (!tape->workers)
        tape->workers = gb_workers_new(tape, tape->options.threads);
    plan->workers = tape->workers;
    return plan->workers || gb_plan_out_of_memory(plan);
}

gb_plan *gb_plan_new(gb_program *program, int64_t samples, int64_t rows, bool fused)
{
    gb_tape *const tape = program->tape;
    gb_plan *plan = gb_memory_resize(&tape->memory, NULL, sizeof *plan);
    if (!plan) {
        gb_fail(tape, GB_ENOMEM, "run: out of memory planning the program");
        return NULL;
    }
    memset(plan, 0, sizeof *plan);
    plan->program = program;
    plan->arena.memory = &tape->memory;
    plan->samples = samples;
    plan->rows = rows;
    plan->fused = fused;
    if (gb_plan_values(plan) && gb_plan_units(plan) && find_workers(plan) && gb_plan_places(plan) &&
        gb_plan_emit(plan))
        return plan;
    gb_plan_free(plan);
    return NULL;
}

/* The number of rows that the fed inputs of a program agree on; −1 where it needs none. False on error. */
static bool rows_of(gb_program *program, int64_t *rows)
{
    gb_tape *const tape = program->tape;
    const gb_input_slot *first = NULL;
    *rows = -1;
    for (size_t i = 0; i < program->input_count; i++) {
        const gb_input_slot *slot = &tape->inputs.at[program->inputs[i]];
        if (slot->rows < 0) {
            gb_fail(tape, GB_EFEED, "run: input %s was not fed", slot->name);
            return false;
        }
        if (!slot->by_row)
            continue;
        if (first && slot->rows != first->rows) {
            gb_fail(tape, GB_EFEED, "run: input %s was fed %lld rows, but %s %lld", first->name,
                    (long long)first->rows, slot->name, (long long)slot->rows);
            return false;
        }
        first = slot;
        *rows = slot->rows;
    }
    for (size_t i = 0; program->counts_rows && *rows < 0 && i < tape->inputs.count; i++)
        if (tape->inputs.at[i].by_row)
            *rows = tape->inputs.at[i]
                        .rows; /* it depends on no input, but wants to know how many rows were fed */
    return true;
}

/* Sizes that keep changing must not fill the memory. */
static void forget_oldest(gb_program *program)
{
    enum { MOST_PLANS = 8 };
    gb_plan **link = &program->plans;
    for (int i = 0; i < MOST_PLANS && *link; i++)
        link = &(*link)->next;
    gb_plan *const oldest = *link;
    if (!oldest)
        return;
    *link = NULL;
    if (program->latest == oldest) {
        program->latest = NULL;
        program->ran = 0;
    }
    gb_plan_free(oldest);
}

gb_plan *gb_plan_find(gb_program *program)
{
    int64_t rows;
    if (!rows_of(program, &rows))
        return NULL;
    gb_plan *plan = program->latest;
    if (plan && plan->samples == program->samples && plan->rows == rows)
        return plan;
    for (gb_plan **link = &program->plans; *link; link = &(*link)->next) {
        plan = *link;
        if (plan->samples != program->samples || plan->rows != rows)
            continue;
        *link = plan->next; /* to the front: the one that was not used for longest is forgotten first */
        plan->next = program->plans;
        program->plans = plan;
        return plan;
    }
    plan = gb_plan_new(program, program->samples, rows, true);
    if (plan) {
        plan->next = program->plans;
        program->plans = plan;
        forget_oldest(program);
    }
    return plan;
}

/* ---- running ---- */

static const void *current_address(const gb_tape *tape, const gb_watch *watch)
{
    if (watch->kind == GB_IN_INPUT)
        return tape->inputs.at[watch->slot].data;
    const gb_variable_slot *slot = &tape->variables.at[watch->slot];
    return watch->kind == GB_IN_NEXT ? slot->next : slot->now;
}

/* Variables have changed places in a commit, inputs may have been fed from elsewhere. */
static void bind_pointers(gb_plan *plan)
{
    for (size_t i = 0; i < plan->watches.count; i++) {
        gb_watch *watch = &plan->watches.at[i];
        const void *address = current_address(gb_plan_tape(plan), watch);
        if (address == watch->bound)
            continue;
        watch->bound = address;
        for (uint32_t at = watch->first; at; at = plan->fixups.at[at - 1].next) {
            const gb_fixup *fixup = &plan->fixups.at[at - 1];
            *fixup->where = (const char *)address + fixup->offset;
        }
    }
}

static void run_code(const gb_block *code, size_t count)
{
    for (const gb_block *block = code, *end = code + count; block < end; block++)
        block->kernel(block, block->lines, 0);
}

void gb_plan_run(gb_plan *plan)
{
    const bool flush = gb_plan_tape(plan)->options.flush_subnormals;
    const uint64_t before = flush ? gb_flush_begin() : 0;
    bind_pointers(plan);
    if (!plan->constants_done)
        run_code(plan->once.at, plan->once.count);
    plan->constants_done = true;
    run_code(plan->code.at, plan->code.count);
    if (flush)
        gb_flush_end(before);
}

static void commit(gb_program *program)
{
    for (size_t i = 0; i < program->target_count; i++) {
        gb_variable_slot *slot = &program->tape->variables.at[program->targets[i].variable];
        void *const old = slot->now;
        slot->now = slot->next;
        slot->next = old;
    }
}

/* The first check that failed, NULL if none did; clears all. */
static const gb_check *failed_check(gb_plan *plan)
{
    const gb_check *first = NULL;
    for (size_t i = 0; i < plan->checks.count; i++) {
        if (plan->failed[i] && !first)
            first = &plan->checks.at[i];
        plan->failed[i] = 0;
    }
    return first;
}

bool gb_plan_passes(gb_plan *plan)
{
    const gb_check *const check = failed_check(plan);
    return !check || gb_explain_nonfinite(plan->program, check) == GB_OK;
}

static void set_noise_step(gb_program *program)
{
    program->noise_step = program->step | (program->target_count == 0 ? (uint64_t)1 << LOOKING_BIT : 0);
}

void gb_plan_run_looking(gb_plan *plan)
{
    set_noise_step(plan->program);
    gb_plan_run(plan);
}

gb_status gb_prepare(gb_program *program)
{
    if (gb_program_ok(program, "prepare"))
        gb_plan_find(program);
    return program_status(program);
}

gb_status gb_run(gb_program *program)
{
    gb_plan *plan = gb_program_ok(program, "run") ? gb_plan_find(program) : NULL;
    if (!plan)
        return program_status(program);
    set_noise_step(program);
    gb_plan_run(plan);
    if (!gb_plan_passes(plan)) {
        program->ran = 0; /* its roots hold what was refused */
        return program_status(program);
    }
    commit(program);
    program->step++;
    program->latest = plan;
    program->ran = ++program->tape->runs;
    return GB_OK;
}
