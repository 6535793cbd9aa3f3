/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cores: making them, and recording them again. */
#include "ops/recursion/recursion_impl.h"

#include <string.h>

gb_core *gb_core_new(gb_tape *tape, size_t states, size_t others)
{
    gb_core *const core = gb_tape_keep(tape, sizeof *core);
    gb_node *const given = gb_tape_keep(tape, (states + others + 1) * sizeof *given);
    gb_node *const result = gb_tape_keep(tape, (states + 1) * sizeof *result);
    bool *const flags = gb_tape_keep(tape, 3 * states + others);
    if (!core || !given || !result || !flags)
        return NULL;
    core->body = (gb_body){.given_count = states + others,
                           .given = given,
                           .result_count = states,
                           .result = result,
                           .carried = states,
                           .moves = flags + 2 * states};
    core->states = states;
    core->all = flags;
    core->read = flags + states;
    return core;
}

bool gb_core_begin(gb_tape *tape, gb_core *core, gb_axes time, const gb_node *arg)
{
    gb_node *const given = (gb_node *)(uintptr_t)core->body.given;
    bool *const moves = (bool *)(uintptr_t)core->body.moves;
    core->low = (uint32_t)gb_tape_length(tape);
    core->number = gb_tape_body_begin(tape);
    for (size_t i = 0; i < core->body.given_count; i++) {
        const gb_axes axes = i < core->states ? core->axes : gb_node_axes(arg[i]) & ~time;
        moves[i] = (gb_node_axes(arg[i]) & time) != 0;
        given[i] = gb_body_leaf(tape, gb_node_shape(arg[i]), gb_node_type(arg[i]), axes);
    }
    return core->number > 0;
}

static bool find_operand(const gb_core *core, gb_node node, double usual, gb_core_operand *to)
{
    *to = (gb_core_operand){.is_number = true, .number = usual};
    if (!node.tape || gb_is_uniform(node, &to->number))
        return true;
    to->is_number = false;
    for (size_t i = core->states; i < core->body.given_count; i++)
        if (gb_node_same(core->body.given[i], node) && gb_shape_count(gb_node_shape(node)) == 1) {
            to->argument = i;
            return true;
        }
    return false;
}

/* Finds whether each result is a line in its state. Adding -0 changes no bit. */
static void find_lines(gb_tape *tape, gb_core *core)
{
    gb_core_line *const line = gb_tape_keep(tape, (core->states + 1) * sizeof *line);
    bool good = line;
    for (size_t i = 0; i < core->states && good; i++) {
        gb_line is;
        good = gb_shape_count(gb_node_shape(core->body.given[i])) == 1 &&
               gb_line_read(core->body.result[i], core->body.given[i], &is) &&
               find_operand(core, is.a, 1, &line[i].a) && find_operand(core, is.b, -0.0, &line[i].b);
        line[i].is_chain = good && is.is_chain;
    }
    core->line = good ? line : NULL;
}

bool gb_core_end(gb_tape *tape, gb_core *core, const gb_node *next)
{
    gb_node *const result = (gb_node *)(uintptr_t)core->body.result;
    for (size_t i = 0; i < core->states; i++)
        result[i] = gb_widen(next[i], core->axes);
    find_lines(tape, core);
    core->end = (uint32_t)gb_tape_length(tape);
    return gb_tape_body_end(tape, core->number, "scan");
}

bool gb_core_copy(gb_tape *tape, const gb_core *core, const gb_node *given, gb_node *next)
{
    gb_copies c;
    if (gb_error(tape) != GB_OK || !gb_copies_begin(&c, tape, "scan", core->low, core->end))
        return false;
    for (size_t i = 0; i < core->body.given_count; i++)
        gb_copies_put(&c, core->body.given[i], given[i]);
    bool done = true;
    for (uint32_t id = core->low; id < core->end && done; id++) {
        const gb_node node = gb_tape_node(tape, id);
        if (gb_node_body(node) == core->number && gb_node_op(node)->form != GB_FORM_LEAF)
            done = gb_copy(&c, node);
    }
    for (size_t i = 0; i < core->states; i++)
        next[i] = gb_copy_of(&c, core->body.result[i]);
    gb_copies_end(&c);
    return done;
}
