/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/smooth.h"

#include <string.h>

#include "ops/control.h"

typedef struct walk {
    uint32_t low;  /* id of the draw */
    bool *depends; /* it depends on the draw, not through gb_stop */
    bool *matters; /* the gradient of the cost passes through it */
} walk;

static bool depends(const walk *w, gb_node node)
{
    return node.id >= w->low && w->depends[node.id - w->low];
}

static void mark_dependent(const walk *w, gb_node cost)
{
    gb_node node = cost;
    w->depends[0] = true;
    for (uint32_t id = w->low + 1; id <= cost.id; id++) {
        node.id = id;
        if (gb_node_op(node) == &gb_stop_op)
            continue;
        for (size_t i = 0; i < gb_node_arguments(node) && !w->depends[id - w->low]; i++)
            w->depends[id - w->low] = depends(w, gb_node_argument(node, i));
    }
}

/* Operations with real arguments and another result also jump: comparisons, rounding, sorting. */
static bool jumps(gb_node node)
{
    const gb_op *const op = gb_node_op(node);
    if (op->jumps)
        return true;
    return gb_node_type(node) != GB_TYPE_REAL && gb_node_type(gb_node_argument(node, 0)) == GB_TYPE_REAL;
}

/* True for a density whose support depends on the draw while its value does not. */
static bool support_passes(const walk *w, gb_node node)
{
    bool moves = false;
    if (gb_node_op(node) != &gb_moving_support_op || depends(w, gb_node_argument(node, 1)))
        return false;
    for (size_t i = 2; i < gb_node_arguments(node); i++)
        moves |= depends(w, gb_node_argument(node, i));
    return moves;
}

/* Marks the arguments that the gradient passes to. */
static void go_on(const walk *w, gb_node node)
{
    const gb_op *const op = gb_node_op(node);
    const bool vouched = op == &gb_continuous_op;
    const bool injects = op == &gb_inject_op || op == &gb_inject_score_op;
    const bool only_first = (op->form == GB_FORM_ALIAS && !vouched) || op->rejection;
    const size_t first = vouched ? 1 : 0;
    const size_t end = injects ? 2 : only_first ? 1 : gb_node_arguments(node);
    for (size_t i = first; i < end; i++) {
        const gb_node argument = gb_node_argument(node, i);
        if (argument.id >= w->low)
            w->matters[argument.id - w->low] = true;
    }
}

static const gb_op *find_jump(const walk *w, gb_node cost)
{
    w->matters[cost.id - w->low] = true;
    for (gb_node node = cost; node.id > w->low; node.id--) {
        if (!w->matters[node.id - w->low] || !depends(w, node))
            continue;
        if (jumps(node) || support_passes(w, node))
            return gb_node_op(node);
        go_on(w, node);
    }
    return NULL;
}

bool gb_is_smooth(gb_node cost, gb_node draw, const gb_op **jump)
{
    const gb_op *unasked;
    jump = jump ? jump : &unasked;
    *jump = NULL;
    if (!gb_node_ok(cost) || !gb_node_ok(draw) || cost.id < draw.id)
        return gb_error(cost.tape) == GB_OK;
    const gb_memory memory = gb_tape_memory(cost.tape);
    const size_t count = (size_t)cost.id - draw.id + 1;
    walk w = {.low = draw.id, .depends = gb_memory_resize(&memory, NULL, 2 * count * sizeof(bool))};
    if (!w.depends) {
        gb_fail(cost.tape, GB_ENOMEM, "expected: out of memory");
        return false;
    }
    memset(w.depends, 0, 2 * count * sizeof(bool));
    w.matters = w.depends + count;
    mark_dependent(&w, cost);
    *jump = find_jump(&w, cost);
    gb_memory_release(&memory, w.depends);
    return !*jump;
}
