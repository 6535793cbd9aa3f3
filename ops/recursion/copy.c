/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording nodes again, with other nodes in the place of some. */
#include <string.h>

#include "core/op.h"
#include "ops/draws/draws_impl.h"
#include "ops/recursion/recursion_impl.h"

bool gb_copies_begin(gb_copies *c, gb_tape *tape, uint32_t low, uint32_t end)
{
    const gb_memory memory = gb_tape_memory(tape);
    *c = (gb_copies){.tape = tape, .low = low, .count = end - low};
    c->of = gb_memory_resize(&memory, NULL, ((size_t)c->count + 1) * sizeof *c->of);
    if (c->of)
        memset(c->of, 0, ((size_t)c->count + 1) * sizeof *c->of);
    else
        gb_fail(tape, GB_ENOMEM, "scan: out of memory");
    return c->of;
}

void gb_copies_end(gb_copies *c)
{
    const gb_memory memory = gb_tape_memory(c->tape);
    gb_memory_release(&memory, c->of);
}

gb_node gb_copy_of(const gb_copies *c, gb_node node)
{
    if (node.id >= c->low && node.id - c->low < c->count)
        return c->of[node.id - c->low].tape ? c->of[node.id - c->low] : node;
    for (size_t i = 0; i < c->others; i++)
        if (c->other[i].id == node.id)
            return c->other_copy[i];
    return node;
}

/* A draw becomes one draw for each place of more axes. */
static gb_node copy_noise(const gb_copies *c, gb_node node, const gb_node *arg)
{
    gb_noise_attributes attributes;
    memcpy(&attributes, gb_node_attributes(node), sizeof attributes);
    attributes.axes |= c->drawn_over;
    return gb_apply(c->tape, gb_node_op(node), gb_node_arguments(node), arg, &attributes, sizeof attributes);
}

static gb_node copy_on(const gb_copies *c, gb_node node, const gb_node *arg)
{
    const gb_op *const op = gb_node_op(node);
    if (op->form == GB_FORM_NOISE)
        return copy_noise(c, node, arg);
    /* With more hidden axes, the reduced ones may no longer be neighbours. */
    if (op->form == GB_FORM_REDUCE) {
        gb_reduce_over over;
        memcpy(&over, gb_node_attributes(node), sizeof over);
        return gb_reduce(op, arg[0], over);
    }
    return gb_apply(c->tape, op, gb_node_arguments(node), arg, gb_node_attributes(node),
                    gb_node_attribute_bytes(node));
}

bool gb_copy(gb_copies *c, gb_node node)
{
    const gb_memory memory = gb_tape_memory(c->tape);
    const size_t count = gb_node_arguments(node);
    gb_node few[8] = {{0}};
    gb_node *const arg = count > 8 ? gb_memory_resize(&memory, NULL, count * sizeof *arg) : few;
    if (!arg) {
        gb_fail(c->tape, GB_ENOMEM, "scan: out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        arg[i] = gb_copy_of(c, gb_node_argument(node, i));
    const gb_node copy = copy_on(c, node, arg);
    if (arg != few)
        gb_memory_release(&memory, arg);
    if (!gb_node_ok(copy))
        return false;
    c->of[node.id - c->low] = copy;
    if (*gb_node_name(node) && !*gb_node_name(copy))
        gb_named(copy, gb_node_name(node));
    return gb_error(c->tape) == GB_OK;
}
