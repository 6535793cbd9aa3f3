/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans of bodies. A body's plan is a plan like any other, whose leaves are given nodes: their buffers are in
 * its work memory, and the owner of the body fills them. */
#include "core/plan/plan_impl.h"
#include "core/tape/leaf_impl.h"

static bool out_of_memory(gb_plan *plan)
{
    gb_plan_out_of_memory(plan);
    return false;
}

static const gb_body *body_of(gb_plan *plan, const gb_planned *value)
{
    gb_tape *const tape = gb_plan_tape(plan);
    const gb_record *const record = &tape->nodes.at[value->node];
    gb_node *const arg = gb_arena_take(&plan->arena, (record->args + 1) * sizeof *arg);
    if (!arg) {
        out_of_memory(plan);
        return NULL;
    }
    for (uint32_t i = 0; i < record->args; i++)
        arg[i] = gb_node_at(tape, record->arg[i]);
    return value->op->body(value->attributes, record->args, arg);
}

/* The results are the roots. */
static bool make_goal(gb_plan *plan, gb_body_plan *body)
{
    const gb_body *const of = body->goal.body;
    uint32_t *const roots = gb_arena_take(&plan->arena, (of->result_count + 1) * sizeof *roots);
    body->given = gb_arena_take(&plan->arena, (of->given_count + 1) * sizeof *body->given);
    body->result = gb_arena_take(&plan->arena, (of->result_count + 1) * sizeof *body->result);
    if (!roots || !body->given || !body->result)
        return out_of_memory(plan);
    for (size_t i = 0; i < of->result_count; i++)
        roots[i] = of->result[i].id;
    body->goal.roots = roots;
    body->goal.root_count = of->result_count;
    return gb_goal_mark(&body->goal) || out_of_memory(plan);
}

/* A given node that the results do not need has a buffer of its own, which nothing reads. */
static bool find_addresses(gb_plan *plan, gb_body_plan *body)
{
    const gb_body *const of = body->goal.body;
    char *const work = body->plan->work;
    for (size_t i = 0; i < body->plan->values.count; i++) {
        const gb_planned *const value = &body->plan->values.at[i];
        for (size_t g = 0; value->op == &gb_given_op && g < of->given_count; g++)
            if (of->given[g].id == value->node)
                body->given[g] = work + value->place.offset;
    }
    for (size_t g = 0; g < of->given_count; g++) {
        const gb_record *const record = gb_record_of(of->given[g]);
        size_t count;
        if (body->given[g])
            continue;
        if (!gb_plan_count(plan, record->axes, record->shape, &count))
            return out_of_memory(plan);
        body->given[g] = gb_arena_take(&plan->arena, gb_buffer_bytes(gb_plan_tape(plan), count));
        if (!body->given[g])
            return out_of_memory(plan);
    }
    for (size_t i = 0; i < of->result_count; i++) {
        const gb_planned *const value = &body->plan->values.at[body->plan->root[i]];
        body->result[i] =
            value->place.kind == GB_IN_DATA ? value->place.data : (const void *)(work + value->place.offset);
    }
    return true;
}

gb_body_plan *gb_plan_body(gb_plan *plan, uint32_t value, const gb_kernel_call *call)
{
    gb_body_plan *const body = gb_arena_take(&plan->arena, sizeof *body);
    const gb_body *const of = body ? body_of(plan, &plan->values.at[value]) : NULL;
    if (!of) {
        out_of_memory(plan);
        return NULL;
    }
    *body = (gb_body_plan){.next = plan->bodies_of,
                           .goal = {.tape = gb_plan_tape(plan), .body = of},
                           .call = call,
                           .value = value,
                           .outside = {.node = plan->values.at[value].node,
                                       .variable = GB_NONE,
                                       .in_body = true}};
    plan->bodies_of = body;
    if (!make_goal(plan, body))
        return NULL;
    body->plan = gb_plan_new(&body->goal, plan->samples, plan->rows, plan->fused);
    return body->plan && find_addresses(plan, body) ? body : NULL;
}
