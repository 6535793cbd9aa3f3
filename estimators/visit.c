/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/visit.h"

#include <string.h>

/* Arguments are recorded before what uses them, so one pass from the last node to the first meets all. */
gb_status gb_visit(gb_node from, gb_visitor *visitor, void *context)
{
    gb_tape *const tape = from.tape;
    if (!gb_node_ok(from))
        return tape ? gb_fail(tape, GB_ENODE, "visit: not a usable node") : GB_ENODE;
    const gb_memory memory = gb_tape_memory(tape);
    bool *const reached = gb_memory_resize(&memory, NULL, (size_t)from.id + 1);
    if (!reached)
        return gb_fail(tape, GB_ENOMEM, "visit: out of memory");
    memset(reached, 0, (size_t)from.id + 1);
    reached[from.id] = true;
    for (gb_node node = from;; node.id--) {
        const bool go_on = reached[node.id] && visitor(context, node);
        for (size_t i = 0; go_on && i < gb_node_arguments(node); i++)
            reached[gb_node_argument(node, i).id] = true;
        if (node.id == 0)
            break;
    }
    gb_memory_release(&memory, reached);
    return gb_error(tape);
}
