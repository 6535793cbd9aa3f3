/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/visit.h"

#include <string.h>

#include "ops/control.h"
#include "ops/list.h"

/* Arguments are recorded before the nodes that use them, so one pass from the last node to the first is
 * enough. */
gb_status gb_visit(gb_node from, gb_visitor *visitor, void *user)
{
    gb_tape *const tape = from.tape;
    if (!gb_node_ok(from))
        return tape ? gb_fail(tape, GB_ENODE, "visit: not a usable node") : GB_ENODE;
    if (!visitor)
        return gb_fail(tape, GB_EARGUMENT, "visit: the function is NULL");
    const gb_memory memory = gb_tape_memory(tape);
    bool *const reached = gb_memory_resize(&memory, NULL, (size_t)from.id + 1);
    if (!reached)
        return gb_fail(tape, GB_ENOMEM, "visit: out of memory");
    memset(reached, 0, (size_t)from.id + 1);
    reached[from.id] = true;
    for (gb_node node = from;; node.id--) {
        const bool go_on = reached[node.id] && visitor(user, node);
        for (size_t i = 0; go_on && i < gb_node_arguments(node); i++)
            reached[gb_node_argument(node, i).id] = true;
        if (node.id == 0)
            break;
    }
    gb_memory_release(&memory, reached);
    return gb_error(tape);
}

static bool find_node(void *context, gb_node node)
{
    gb_node *const sought = context;
    if (gb_node_same(node, *sought))
        *sought = (gb_node){0};
    return true;
}

bool gb_node_depends(gb_node node, gb_node on)
{
    return gb_node_ok(on) && gb_visit(node, find_node, &on) == GB_OK && !gb_node_ok(on);
}

typedef struct found_variables {
    gb_node *variables;
    size_t most, count;
} found_variables;

static bool find_variable(void *context, gb_node node)
{
    found_variables *const found = context;
    if (gb_node_is(node, "variable")) {
        if (found->count < found->most)
            found->variables[found->count] = node;
        found->count++;
    }
    return gb_node_op(node) != &gb_stop_op;
}

size_t gb_node_variables(gb_node node, gb_node *variables, size_t most)
{
    found_variables found = {.variables = variables, .most = variables ? most : 0};
    if (gb_visit(node, find_variable, &found) != GB_OK)
        return 0;
    const size_t written = found.count < found.most ? found.count : found.most;
    for (size_t i = 0; i < written / 2; i++) { /* the visit is in reverse order */
        const gb_node swap = variables[i];
        variables[i] = variables[written - 1 - i];
        variables[written - 1 - i] = swap;
    }
    return found.count;
}
