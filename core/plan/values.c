/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First pass of a plan: the values that roots and assigns need. Nodes that nothing needs are left out, equal
 * values are computed once, an alias becomes its first argument, and a view becomes strides into its
 * argument. */
#include <string.h>

#include "core/plan/node_impl.h"

/* An alias depends on its first argument only. */
bool gb_goal_mark(gb_goal *goal)
{
    for (size_t i = 0; i < goal->root_count; i++)
        goal->nodes = goal->roots[i] >= goal->nodes ? goal->roots[i] + 1 : goal->nodes;
    for (size_t i = 0; i < goal->target_count; i++)
        goal->nodes = goal->targets[i].value >= goal->nodes ? goal->targets[i].value + 1 : goal->nodes;
    bool *const needed = gb_memory_resize(&goal->tape->memory, NULL, goal->nodes * sizeof *needed + 1);
    goal->needed = needed;
    if (!needed)
        return false;
    memset(needed, 0, goal->nodes * sizeof *needed);
    for (size_t i = 0; i < goal->root_count; i++)
        needed[goal->roots[i]] = true;
    for (size_t i = 0; i < goal->target_count; i++)
        needed[goal->targets[i].value] = true;
    for (uint32_t id = goal->nodes; id-- > 0;) {
        const gb_record *record = &goal->tape->nodes.at[id];
        const uint32_t args = record->op->form == GB_FORM_ALIAS ? 1 : record->args;
        for (uint32_t i = 0; needed[id] && i < args; i++)
            needed[record->arg[i]] = true;
    }
    return true;
}

static bool gb_collector_begin(gb_collector *c)
{
    const uint32_t nodes = c->plan->goal->nodes;
    size_t table = 64;
    while (table < 2 * (size_t)nodes)
        table *= 2;
    c->mask = table - 1;
    c->value = gb_memory_resize(c->memory, NULL, nodes * sizeof *c->value + 1);
    c->table = gb_memory_resize(c->memory, NULL, table * sizeof *c->table);
    if (!c->value || !c->table)
        return gb_plan_out_of_memory(c->plan);
    memset(c->table, 0, table * sizeof *c->table);
    return true;
}

static bool add_check(gb_collector *c, const gb_op *op, uint32_t value, uint32_t variable)
{
    gb_plan *const plan = c->plan;
    uint32_t index;
    if (plan->values.at[value].type != GB_TYPE_REAL || plan->values.at[value].count == 0)
        return true;
    if (!GB_LIST_GROW(c->memory, &plan->checks, 1))
        return gb_plan_out_of_memory(plan);
    plan->checks.at[plan->checks.count++] =
        (gb_check){.node = plan->values.at[value].node, .variable = variable};
    if (!gb_collect_own(c, op, value, &index))
        return false;
    plan->values.at[index].base = (uint32_t)plan->checks.count - 1;
    plan->values.at[index].constant = false; /* a check is repeated in every run */
    return true;
}

/* A root is kept where it is computed. A view or a leaf is copied, so that it can be read later. */
static bool add_root(gb_collector *c, uint32_t node, uint32_t *root)
{
    gb_plan *const plan = c->plan;
    *root = c->value[node];
    const gb_planned *value = &plan->values.at[*root];
    if ((value->layout || (gb_is_leaf(value) && !value->constant)) &&
        !gb_collect_own(c, &gb_copy_op, *root, root))
        return false;
    plan->values.at[*root].kept = true;
    if (plan->goal->is_strict)
        return add_check(c, &gb_finite_op, *root, GB_NONE);
    return plan->goal->target_count == 0 || add_check(c, &gb_none_above_op, *root, GB_NONE);
}

/* A value is computed in the variable's second buffer. If it has another place, it is copied there. */
static bool add_target(gb_collector *c, const gb_target *target)
{
    uint32_t value = c->value[target->value];
    const gb_planned *at = &c->plan->values.at[value];
    if ((gb_is_leaf(at) || at->layout || at->constant || at->kept || at->assigns != GB_NONE) &&
        !gb_collect_own(c, &gb_copy_op, value, &value))
        return false;
    c->plan->values.at[value].assigns = target->variable;
    c->plan->values.at[value].constant = false;
    return add_check(c, &gb_finite_op, value, target->variable);
}

/* A value that an operation rejects fails the run, even if no root depends on it. −∞ passes, since it is a
 * valid value: the logit of an impossible event. */
static bool add_rejections(gb_collector *c)
{
    const uint32_t count = (uint32_t)c->plan->values.count;
    for (uint32_t i = 0; i < count; i++)
        if (c->plan->values.at[i].op->rejection && !add_check(c, &gb_none_nan_op, i, GB_NONE))
            return false;
    return true;
}

static bool collect(gb_collector *c)
{
    gb_plan *const plan = c->plan;
    const gb_goal *goal = plan->goal;
    if (!gb_collector_begin(c))
        return false;
    for (uint32_t id = 0; id < goal->nodes; id++)
        if (goal->needed[id] && !gb_collect_node(c, id))
            return false;
    plan->root = gb_arena_take(&plan->arena, (goal->root_count + 1) * sizeof *plan->root);
    if (!plan->root)
        return gb_plan_out_of_memory(plan);
    for (size_t i = 0; i < goal->root_count; i++)
        if (!add_root(c, goal->roots[i], &plan->root[i]))
            return false;
    for (size_t i = 0; i < goal->target_count; i++)
        if (!add_target(c, &goal->targets[i]))
            return false;
    return goal->tolerates || add_rejections(c);
}

/* Marks the values that are still used: views and copies may have lost their users. */
static void mark_used(gb_plan *plan)
{
    for (size_t i = plan->values.count; i-- > 0;) {
        gb_planned *value = &plan->values.at[i];
        value->used |= value->kept || value->assigns != GB_NONE || gb_is_check(value) ||
                       gb_is_exchange(value); /* other members send it */
        for (uint32_t a = 0; value->used && a < value->args; a++)
            plan->values.at[value->arg[a]].used = true;
    }
}

bool gb_plan_values(gb_plan *plan)
{
    gb_collector c = {.plan = plan, .tape = gb_plan_tape(plan), .memory = &gb_plan_tape(plan)->memory};
    const bool done = collect(&c);
    if (done)
        mark_used(plan);
    gb_memory_release(c.memory, c.value);
    gb_memory_release(c.memory, c.table);
    return done;
}
