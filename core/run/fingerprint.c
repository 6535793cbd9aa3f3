/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fingerprints of programs: the number of a node is made of its operation and of its arguments' numbers. */
#include <string.h>

#include "core/kernels/noise_impl.h"
#include "core/run/plans_impl.h"
#include "core/tape/leaf_impl.h"

static uint64_t with(uint64_t print, uint64_t more)
{
    return gb_noise_mix(print ^ more) + 0x9e3779b97f4a7c15u;
}

static uint64_t with_text(uint64_t print, const char *text)
{
    for (const char *c = text; *c; c++)
        print = with(print, (unsigned char)*c);
    return with(print, 256);
}

/* A noise operation's attributes begin with its key (see core/op.h). */
static uint64_t noise_key(const gb_record *record)
{
    uint64_t key = 0;
    if (record->op->form == GB_FORM_NOISE && record->attribute_bytes >= sizeof key)
        memcpy(&key, record->attributes, sizeof key);
    return key;
}

/* Variables and inputs are distinguished by the names they were made with. Names from gb_named are only for
 * messages. */
static const char *slot_name(const gb_tape *tape, const gb_record *record)
{
    const gb_slot_index *const slot = record->attributes;
    if (record->op == &gb_variable_op)
        return tape->variables.at[slot->index].name;
    return record->op == &gb_input_op ? tape->inputs.at[slot->index].name : "";
}

/* Given nodes are distinguished by their places. What a body is made of was recorded before its owner. */
static uint64_t with_body(gb_node owner, uint64_t print, const uint64_t *prints)
{
    const gb_body *const body = gb_node_own_body(owner);
    for (size_t i = 0; body && i < body->result_count; i++)
        print = with(print, prints[body->result[i].id]);
    return print;
}

static uint64_t print_of(gb_tape *tape, uint32_t id, const uint64_t *prints)
{
    const gb_record *const record = &tape->nodes.at[id];
    uint64_t print = with_text(0, record->op->name);
    print = with_text(print, slot_name(tape, record));
    print = with(print, record->axes);
    print = with(print, (uint64_t)record->type);
    for (int i = 0; i < record->shape.rank; i++)
        print = with(print, (uint64_t)record->shape.size[i]);
    print = with(print, noise_key(record));
    if (record->op == &gb_given_op)
        print = with(print, ((const gb_slot_index *)record->attributes)->index);
    print = with(print, record->args);
    for (uint32_t i = 0; i < record->args; i++)
        print = with(print, prints[record->arg[i]]);
    return with_body(gb_node_at(tape, id), print, prints);
}

gb_status gb_program_fingerprint(gb_program *program, uint64_t *fingerprint)
{
    if (!gb_program_ok(program, "program_fingerprint"))
        return program ? program->goal.tape->status : GB_EPROGRAM;
    gb_tape *const tape = program->goal.tape;
    if (!fingerprint)
        return gb_fail(tape, GB_EARGUMENT, "program_fingerprint: the place for it is NULL");
    uint64_t *const prints = gb_memory_resize(&tape->memory, NULL, (tape->nodes.count + 1) * sizeof *prints);
    if (!prints)
        return gb_fail(tape, GB_ENOMEM, "program_fingerprint: out of memory");
    for (size_t id = 0; id < tape->nodes.count; id++)
        prints[id] = print_of(tape, (uint32_t)id, prints);
    const size_t roots = program->goal.target_count > 0 ? 0 : program->goal.root_count;
    uint64_t print = with(0, roots);
    for (size_t i = 0; i < roots; i++)
        print = with(print, prints[program->goal.roots[i]]);
    for (size_t i = 0; i < program->goal.target_count; i++) {
        print = with_text(print, tape->variables.at[program->goal.targets[i].variable].name);
        print = with(print, prints[program->goal.targets[i].value]);
    }
    gb_memory_release(&tape->memory, prints);
    *fingerprint = print;
    return tape->status;
}
