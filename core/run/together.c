/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a team: before it the members say how many rows they have, and after it whether a check failed. */
#include "core/run/together_impl.h"

#include <string.h>

#include "core/kernels/noise_impl.h"
#include "core/run/execute_impl.h"
#include "core/run/nonfinite_impl.h"
#include "core/run/plans_impl.h"
#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

/* ---- the same program ---- */

/* How often members compare their variables, in runs of a program. The runs of a tape are no measure: members
 * may have run programs apart. */
enum { COMPARED_EVERY = 1000 };

static uint64_t with_bytes(uint64_t print, const void *bytes, size_t count)
{
    const char *const from = bytes;
    for (size_t at = 0; at < count; at += sizeof print) {
        uint64_t next = 0;
        memcpy(&next, from + at, count - at < sizeof next ? count - at : sizeof next);
        print = gb_noise_mix(print ^ next) + 1;
    }
    return print;
}

static uint64_t print_of_variables(const gb_tape *tape)
{
    uint64_t print = 0;
    for (size_t i = 0; i < tape->variables.count; i++) {
        const gb_variable_slot *const slot = &tape->variables.at[i];
        if (!slot->awaits)
            print = with_bytes(print, slot->now, slot->count * gb_width(tape));
    }
    return print;
}

static uint64_t with_constant(uint64_t print, const gb_tape *tape, const gb_record *record)
{
    const gb_constant_data *const constant = record->attributes;
    return constant->data ? with_bytes(print, constant->data, gb_shape_count(record->shape) * gb_width(tape))
                          : with_bytes(print, &constant->value, sizeof constant->value);
}

/* The attributes that are left out may have pointers: to the words of a message, or to a body. */
static uint64_t print_of_constants(const gb_program *program)
{
    const gb_tape *const tape = program->goal.tape;
    uint64_t print = 0;
    for (uint32_t id = 0; id < program->goal.nodes; id++) {
        const gb_record *const record = &tape->nodes.at[id];
        const gb_op *const op = record->op;
        if (program->goal.needed[id] && op == &gb_constant_op)
            print = with_constant(print, tape, record);
        else if (program->goal.needed[id] && op->form >= GB_FORM_VIEW && op->form != GB_FORM_ELEMENTWISE &&
                 !op->body)
            print = with_bytes(print, record->attributes, record->attribute_bytes);
    }
    return print;
}

static bool all_say(const gb_tape *tape, const gb_word *heard, int which, uint64_t number)
{
    for (int i = 0; i < tape->mates.team->members; i++)
        if (heard[i].number[which] != number)
            return false;
    return true;
}

/* ---- before a run ---- */

/* Takes note of where this member's rows are among all. A member may need no row where others do. */
static void place_rows(gb_program *program, gb_plan *plan, const gb_word *heard)
{
    const gb_team *const team = program->goal.tape->mates.team;
    gb_rows_place *const at = &program->goal.rows;
    at->before = at->others = 0;
    for (int i = 0; i < team->members; i++) {
        const uint64_t rows = heard[i].rows > 0 ? (uint64_t)heard[i].rows : 0;
        at->before += i < team->rank ? rows : 0;
        at->others += i != team->rank ? rows : 0;
    }
    gb_plan_place_rows(plan, at);
}

static const char *const differences[GB_WORD_NUMBERS] = {
    ("the members of the team have recorded different programs, or run them in another order; each must "
     "record the same operations, names and shapes"),
    ("the members of the team run different steps or numbers of samples, or their tapes have other seeds, "
     "types of reals or instruction sets (GREBE_ISA chooses one for all)"),
    "constants of the program differ between the members of the team, or axes and places in its operations",
    "variables have other values in another member of the team; no result is to be trusted from here on"};

static gb_word word_of(gb_program *program, const gb_plan *plan)
{
    const gb_tape *const tape = program->goal.tape;
    gb_word w = {.rows = plan->rows};
    if (!program->was_compared)
        gb_program_fingerprint(program, &program->print);
    w.number[0] = program->print ^ plan->exchanged;
    const uint64_t kind = 2 * (uint64_t)tape->isa + (tape->options.real == GB_FLOAT);
    w.number[1] =
        gb_noise_mix(gb_noise_mix(tape->options.seed + kind) + (uint64_t)program->samples) ^ program->step;
    w.number[2] = program->was_compared ? 0 : print_of_constants(program);
    w.number[3] = program->was_compared && program->step % COMPARED_EVERY > 0 ? 0 : print_of_variables(tape);
    return w;
}

static bool begin_together(gb_program *program, gb_plan *plan)
{
    gb_tape *const tape = program->goal.tape;
    const gb_word *heard;
    gb_word mine = {.rows = -1};
    if (plan)
        mine = word_of(program, plan);
    if (!gb_tape_agree(tape, mine, &heard))
        return false;
    for (int i = 0; i < GB_WORD_NUMBERS; i++)
        if (!all_say(tape, heard, i, mine.number[i])) {
            gb_fail(tape, GB_EPROGRAM, "run: %s", differences[i]);
            tape->mates.has_told = true; /* all members see it */
            return false;
        }
    program->was_compared = true;
    place_rows(program, plan, heard);
    return true;
}

/* ---- after it ---- */

/* Members whose checks passed repeat the run, too: the search for the operation exchanges what a run does. */
static bool end_together(gb_program *program, gb_plan *plan, const gb_check *failed)
{
    gb_tape *const tape = program->goal.tape;
    const gb_word *heard;
    if (!gb_tape_agree(tape, (gb_word){.number = {failed != NULL}}, &heard))
        return false;
    if (all_say(tape, heard, 0, 0))
        return true;
    gb_explain_nonfinite(program, plan, failed);
    gb_tape_agree(tape, (gb_word){0}, NULL);
    return false;
}

bool gb_program_go(gb_program *program, gb_plan *plan)
{
    gb_tape *const tape = program->goal.tape;
    const bool is_together = gb_goal_team(&program->goal);
    const bool is_ready = plan && tape->status == GB_OK && gb_plan_has_values(plan, tape);
    if (is_together ? !begin_together(program, plan) : !is_ready)
        return false;
    gb_program_set_noise_step(program);
    gb_plan_run(plan);
    const gb_check *const failed = gb_plan_failed(plan);
    const bool good = is_together ? end_together(program, plan, failed) : !failed;
    if (good)
        return true;
    program->ran = 0; /* its roots hold rejected values */
    if (!is_together)
        gb_explain_nonfinite(program, plan, failed);
    return false;
}
