/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording bodies: see gb_body in core/op.h. */
#include <string.h>

#include "core/tape/leaf_impl.h"

uint32_t gb_tape_body_begin(gb_tape *tape)
{
    if (!tape || tape->status != GB_OK)
        return 0;
    if (!GB_LIST_GROW(&tape->memory, &tape->bodies, 1)) {
        gb_fail(tape, GB_ENOMEM, "out of memory recording a step");
        return 0;
    }
    tape->bodies.at[tape->bodies.count++] = (gb_body_slot){.around = tape->body};
    return tape->body = (uint32_t)tape->bodies.count;
}

/* The end of a long message is cut off. */
static void say_where(gb_tape *tape, const char *where)
{
    char text[GB_ERROR_TEXT];
    snprintf(text, sizeof text, "%s: %.*s", where, GB_ERROR_TEXT - 64, tape->error);
    memcpy(tape->error, text, sizeof text);
}

bool gb_tape_body_end(gb_tape *tape, uint32_t body, const char *where)
{
    if (tape->body != body) {
        gb_fail(tape, GB_ENODE, "%s: the tape was reset meanwhile", where);
        return false;
    }
    tape->body = tape->bodies.at[body - 1].around;
    if (tape->status != GB_OK)
        say_where(tape, where);
    return tape->status == GB_OK;
}

const gb_op gb_given_op = {
    .size = sizeof(gb_op), .name = "given", .formula = "what a body is evaluated at", .form = GB_FORM_LEAF};

gb_node gb_body_leaf(gb_tape *tape, gb_shape shape, gb_type type, gb_axes axes)
{
    if (!tape || tape->status != GB_OK || tape->body == 0)
        return gb_inert();
    const gb_slot_index place = {.index = tape->bodies.at[tape->body - 1].leaves};
    const gb_node leaf = gb_leaf(tape, &gb_given_op, shape, type, axes, NULL, &place, sizeof place);
    if (!gb_node_ok(leaf))
        return leaf;
    tape->bodies.at[tape->body - 1].leaves++;
    gb_record_of(leaf)->body = tape->body;
    return leaf;
}

uint32_t gb_node_body(gb_node node)
{
    return gb_node_ok(node) ? gb_record_of(node)->body : 0;
}

const gb_body *gb_node_own_body(gb_node node)
{
    const gb_op *const op = gb_node_op(node);
    const size_t count = gb_node_arguments(node);
    if (!op || !op->body)
        return NULL;
    gb_node *const arg = gb_memory_resize(&node.tape->memory, NULL, (count + 1) * sizeof *arg);
    if (!arg) {
        gb_fail(node.tape, GB_ENOMEM, "%s: out of memory", op->name);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        arg[i] = gb_node_argument(node, i);
    const gb_body *const body = op->body(gb_node_attributes(node), count, arg);
    gb_memory_release(&node.tape->memory, arg);
    return body;
}
