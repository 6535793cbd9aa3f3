/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run is a transaction: it computes all values, then reads the checks, then changes all variables
 * together. */
#include "core/program.h"
#include "core/run/plans_impl.h"
#include "core/run/together_impl.h"
#include "core/tape/leaf_impl.h"

static void commit(gb_program *program)
{
    for (size_t i = 0; i < program->goal.target_count; i++) {
        gb_variable_slot *slot = &program->goal.tape->variables.at[program->goal.targets[i].variable];
        void *const old = slot->now;
        slot->now = slot->next;
        slot->next = old;
        gb_variable_arrives(program->goal.tape, slot);
    }
}

gb_status gb_prepare(gb_program *program)
{
    if (gb_program_ok(program, "prepare"))
        gb_plan_find(program);
    return gb_program_status(program);
}

static void note_use_of_inputs(const gb_program *program)
{
    for (size_t i = 0; i < program->input_count; i++)
        program->goal.tape->inputs.at[program->inputs[i]].is_unused = false;
}

gb_status gb_run(gb_program *program)
{
    gb_plan *plan = gb_program_ok(program, "run") ? gb_plan_find(program) : NULL;
    if (plan && (program->step + 1) >> GB_EVALUATION_BIT)
        gb_fail(program->goal.tape, GB_ELIMIT,
                "run: step %llu is the last there is; gb_program_set_step sets an earlier one",
                (unsigned long long)program->step);
    if (!program || !gb_program_go(program, plan))
        return gb_program_status(program);
    commit(program);
    note_use_of_inputs(program);
    program->step++;
    program->latest = plan;
    program->ran = ++program->goal.tape->runs;
    return GB_OK;
}
