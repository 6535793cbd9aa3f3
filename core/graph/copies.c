/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/copies_impl.h"

#include <string.h>

#include "core/tape/op_impl.h"

static bool out_of_memory(const gb_copies *c)
{
    gb_fail(c->tape, GB_ENOMEM, "%s: out of memory", c->who);
    return false;
}

bool gb_copies_begin(gb_copies *c, gb_tape *tape, const char *who, uint32_t low, uint32_t end)
{
    *c = (gb_copies){.tape = tape, .who = who, .low = low, .end = end};
    c->of = gb_memory_resize(&tape->memory, NULL, ((size_t)end - low + 1) * sizeof *c->of);
    if (!c->of)
        return out_of_memory(c);
    memset(c->of, 0, ((size_t)end - low + 1) * sizeof *c->of);
    return true;
}

void gb_copies_end(gb_copies *c)
{
    gb_memory_release(&c->tape->memory, c->of);
    gb_memory_release(&c->tape->memory, c->arg);
}

void gb_copies_put(gb_copies *c, gb_node node, gb_node copy)
{
    c->of[node.id - c->low] = copy.id + 1;
}

gb_node gb_copy_of(const gb_copies *c, gb_node node)
{
    if (node.id >= c->low && node.id < c->end)
        return c->of[node.id - c->low] ? gb_node_at(c->tape, c->of[node.id - c->low] - 1) : node;
    for (size_t i = 0; i < c->others; i++)
        if (c->other[i].id == node.id)
            return c->other_copy[i];
    return node;
}

static bool make_room(gb_copies *c, size_t count)
{
    if (count <= c->room)
        return true;
    gb_node *const arg = gb_memory_resize(&c->tape->memory, c->arg, 2 * count * sizeof *arg);
    if (!arg)
        return out_of_memory(c);
    c->arg = arg;
    c->room = 2 * count;
    return true;
}

/* With more hidden axes, the reduced ones may no longer be neighbours; with fewer, some may be lacking. */
static gb_node reduce_again(const gb_record *record, gb_node arg)
{
    gb_reduce_over over;
    memcpy(&over, record->attributes, sizeof over);
    if (over.hidden & ~gb_node_axes(arg))
        arg = gb_widen(arg, over.hidden);
    return gb_reduce(record->op, arg, over);
}

bool gb_copy(gb_copies *c, gb_node node)
{
    const gb_record record = *gb_record_of(node); /* a copy: recording moves the nodes */
    if (!make_room(c, record.args))
        return false;
    for (uint32_t i = 0; i < record.args; i++)
        c->arg[i] = gb_copy_of(c, gb_node_at(c->tape, record.arg[i]));
    const size_t before = c->tape->nodes.count;
    const gb_node copy =
        record.op->form == GB_FORM_NOISE && c->draw ? c->draw(c, node, c->arg)
        : record.op->form == GB_FORM_REDUCE
            ? reduce_again(&record, c->arg[0])
            : gb_apply(c->tape, record.op, record.args, c->arg, record.attributes, record.attribute_bytes);
    if (!gb_node_ok(copy) || c->tape->status != GB_OK)
        return false;
    if (copy.id >= before) /* not one of its arguments */
        gb_record_of(copy)->name = record.name;
    gb_copies_put(c, node, copy);
    return true;
}
