/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/plans_impl.h"

#include "core/kernels/workers_impl.h"
#include "core/tape/leaf_impl.h"

bool gb_program_rows(gb_program *program, int64_t *rows)
{
    gb_tape *const tape = program->goal.tape;
    const gb_input_slot *first = NULL;
    *rows = -1;
    for (size_t i = 0; i < program->input_count; i++) {
        const gb_input_slot *slot = &tape->inputs.at[program->inputs[i]];
        if (slot->rows < 0) {
            gb_fail(tape, GB_EFEED, "run: input %s was not fed", slot->name);
            return false;
        }
        if (slot->along == GB_SAMPLES && slot->rows != program->samples) {
            gb_fail(tape, GB_EFEED, "run: input %s was fed %lld points, but there are %lld samples",
                    slot->name, (long long)slot->rows, (long long)program->samples);
            return false;
        }
        if (slot->along != GB_ROWS)
            continue;
        if (first && slot->rows != first->rows) {
            gb_fail(tape, GB_EFEED, "run: input %s was fed %lld rows, but %s %lld", first->name,
                    (long long)first->rows, slot->name, (long long)slot->rows);
            return false;
        }
        first = slot;
        *rows = slot->rows;
    }
    /* The program depends on no input with rows, but it needs their number. */
    for (size_t i = 0; program->counts_rows && *rows < 0 && i < tape->inputs.count; i++)
        if (tape->inputs.at[i].along == GB_ROWS)
            *rows = tape->inputs.at[i].rows;
    return true;
}

/* Limits the number of plans, so that changing sizes do not fill the memory. */
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
    if (!gb_program_rows(program, &rows))
        return NULL;
    gb_plan *plan = program->latest;
    if (plan && plan->samples == program->samples && plan->rows == rows)
        return plan;
    for (gb_plan **link = &program->plans; *link; link = &(*link)->next) {
        plan = *link;
        if (plan->samples != program->samples || plan->rows != rows)
            continue;
        *link = plan->next; /* moved to the front, since the plan unused for longest is freed first */
        plan->next = program->plans;
        program->plans = plan;
        return plan;
    }
    plan = gb_plan_new(&program->goal, program->samples, rows, true);
    if (plan) {
        plan->next = program->plans;
        program->plans = plan;
        forget_oldest(program);
    }
    return plan;
}

bool gb_plan_has_values(const gb_plan *plan, gb_tape *tape)
{
    for (size_t i = 0; tape->awaited > 0 && i < plan->values.count; i++) {
        const gb_planned *const value = &plan->values.at[i];
        if (value->used && value->op == &gb_variable_op &&
            !gb_variable_has_value(
                tape, &tape->variables.at[((const gb_slot_index *)value->attributes)->index], "run"))
            return false;
    }
    return true;
}

size_t gb_plan_threads(const gb_plan *plan)
{
    return gb_workers_count(plan->workers);
}
