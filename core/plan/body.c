/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans of bodies. A body's plan is a plan like any other, whose leaves are given nodes: their buffers are in
 * its work memory, and the owner of the body fills them.
 *
 * Short code is written down for several steps, one after the other, and each step has buffers of its own for
 * given nodes and results. A carried result is then the given node of the next step without a copy, and the
 * owner can fill the buffers of several steps at once. */
#include <string.h>

#include "core/plan/plan_impl.h"
#include "core/tape/leaf_impl.h"

static bool out_of_memory(gb_plan *plan)
{
    gb_plan_out_of_memory(plan);
    return false;
}

/* The results are the roots. */
static bool make_goal(gb_plan *plan, gb_body_plan *body)
{
    const gb_body *const of = body->goal.body;
    uint32_t *const roots = gb_arena_take(&plan->arena, (of->result_count + 1) * sizeof *roots);
    if (!roots)
        return out_of_memory(plan);
    for (size_t i = 0; i < of->result_count; i++)
        roots[i] = of->result[i].id;
    body->goal.roots = roots;
    body->goal.root_count = of->result_count;
    return gb_goal_mark(&body->goal) || out_of_memory(plan);
}

/* ---- the buffers of one step ---- */

/* Stores the bytes of a buffer for a given node. */
static bool given_bytes(gb_plan *plan, gb_node given, size_t *bytes)
{
    size_t count;
    const gb_record *const record = gb_record_of(given);
    if (!gb_plan_count(plan, record->axes, record->shape, &count))
        return out_of_memory(plan);
    *bytes = gb_buffer_bytes(gb_plan_tape(plan), count);
    return true;
}

static void *new_buffer(gb_plan *plan, gb_node given)
{
    size_t bytes;
    void *const buffer = given_bytes(plan, given, &bytes) ? gb_arena_take(&plan->arena, bytes) : NULL;
    if (!buffer)
        out_of_memory(plan);
    return buffer;
}

/* A given node that the results do not need has a buffer that nothing reads. */
static bool find_given(gb_plan *plan, gb_body_plan *body)
{
    const gb_body *const of = body->goal.body;
    for (size_t i = 0; i < body->plan->values.count; i++) {
        const gb_planned *const value = &body->plan->values.at[i];
        for (size_t g = 0; value->op == &gb_given_op && g < of->given_count; g++)
            if (of->given[g].id == value->node)
                body->given[0][g] = (char *)body->plan->work + value->place.offset;
    }
    for (size_t g = 0; g < of->given_count; g++) {
        if (!body->given[0][g])
            body->given[0][g] = new_buffer(plan, of->given[g]);
        if (!body->given[0][g])
            return false;
    }
    return true;
}

static void find_results(gb_body_plan *body)
{
    for (size_t i = 0; i < body->goal.body->result_count; i++) {
        const gb_place place = body->plan->values.at[body->plan->root[i]].place;
        body->result[0][i] =
            place.kind == GB_IN_DATA ? place.data : (const char *)body->plan->work + place.offset;
    }
}

/* A single number has a whole line. */
static bool find_bytes(gb_plan *plan, gb_body_plan *body)
{
    const gb_body *const of = body->goal.body;
    for (size_t i = 0; i < of->carried; i++) {
        size_t count;
        const gb_record *const record = gb_record_of(of->given[i]);
        if (!gb_plan_count(plan, record->axes, record->shape, &count))
            return out_of_memory(plan);
        body->bytes[i] = count == 1 ? (size_t)GB_LINE_BYTES : count * gb_width(gb_plan_tape(plan));
    }
    return true;
}

static bool find_buffers(gb_plan *plan, gb_body_plan *body)
{
    const gb_body *const of = body->goal.body;
    const size_t each = of->given_count + of->result_count;
    void **const addresses = gb_arena_take(&plan->arena, (GB_BODY_MOST * each + 1) * sizeof *addresses);
    body->bytes = gb_arena_take(&plan->arena, (of->carried + 1) * sizeof *body->bytes);
    if (!addresses || !body->bytes)
        return out_of_memory(plan);
    for (size_t step = 0; step < GB_BODY_MOST; step++) {
        body->given[step] = addresses + step * each;
        body->result[step] = (const void **)(void *)(body->given[step] + of->given_count);
    }
    find_results(body);
    return find_given(plan, body) && find_bytes(plan, body);
}

/* ---- the buffers and the code of more steps ---- */

/* Returns whether the code is short, and all of it can be written down again with other addresses. */
static bool is_short(const gb_plan *plan)
{
    enum { MOST = 64 };
    bool calls_only = plan->fused && plan->code.count - plan->once <= MOST;
    for (size_t i = plan->once; i < plan->code.count && calls_only; i++)
        calls_only = plan->code.at[i].kernel != gb_loop_kernel;
    return calls_only;
}

/* The result of a step is in the work memory, or the same in all steps. */
static bool result_moves(const gb_body_plan *body, size_t which)
{
    const gb_planned *const value = &body->plan->values.at[body->plan->root[which]];
    return value->place.kind == GB_IN_WORK && !value->constant;
}

static bool add_buffers(gb_plan *plan, gb_body_plan *body, size_t step)
{
    const gb_body *const of = body->goal.body;
    const uint32_t *const root = body->plan->root;
    for (size_t i = 0; i < of->result_count; i++) {
        body->result[step][i] = result_moves(body, i) ? NULL : body->result[0][i];
        for (size_t same = 0; same < i && !body->result[step][i]; same++)
            if (root[same] == root[i])
                body->result[step][i] = body->result[step][same];
        if (!body->result[step][i])
            body->result[step][i] = new_buffer(plan, of->result[i]);
        if (!body->result[step][i])
            return false;
    }
    for (size_t g = 0; g < of->given_count; g++) {
        body->given[step][g] = g < of->carried ? (void *)(uintptr_t)body->result[step - 1][g]
                               : of->moves[g]  ? new_buffer(plan, of->given[g])
                                               : body->given[0][g];
        if (!body->given[step][g])
            return false;
    }
    return true;
}

/* Returns the address for a later step: buffers of given nodes and of results are used for nothing else. */
static const void *moved(gb_plan *plan, const gb_body_plan *body, size_t step, const void *address)
{
    const gb_body *const of = body->goal.body;
    const char *const at = address;
    for (size_t i = 0; i < of->given_count + of->result_count; i++) {
        const bool is_given = i < of->given_count;
        const size_t r = i - of->given_count;
        const char *const from = is_given ? body->given[0][i] : body->result[0][r];
        const char *const to = is_given ? body->given[step][i] : body->result[step][r];
        size_t bytes;
        if (!given_bytes(plan, is_given ? of->given[i] : of->result[r], &bytes))
            return NULL;
        if (at >= from && at < from + bytes)
            return to + (at - from);
    }
    return address;
}

static bool move_call(gb_plan *plan, const gb_body_plan *body, size_t step, gb_block *block)
{
    const gb_call *const from = block->extra;
    gb_call *const to = gb_arena_take(&plan->arena, sizeof *to);
    const void **const in = gb_arena_take(&plan->arena, (from->call.count + 1) * sizeof *in);
    if (!to || !in)
        return out_of_memory(plan);
    *to = *from;
    to->call.in = to->in = in;
    for (size_t i = 0; i < from->call.count; i++)
        in[i] = moved(plan, body, step, from->in[i]);
    to->call.out = (void *)(uintptr_t)moved(plan, body, step, from->call.out);
    block->extra = to;
    return true;
}

static bool add_code(gb_plan *plan, const gb_body_plan *body, size_t step)
{
    gb_block *const code = body->code + step * body->length;
    memcpy(code, body->plan->code.at + body->plan->once, body->length * sizeof *code);
    for (size_t i = 0; i < body->length; i++) {
        code[i].out = (void *)(uintptr_t)moved(plan, body, step, code[i].out);
        for (size_t a = 0; a < GB_MAX_BLOCK_ARGS; a++)
            code[i].in[a] = moved(plan, body, step, code[i].in[a]);
        if (code[i].kernel == gb_call_kernel && !move_call(plan, body, step, &code[i]))
            return false;
    }
    return true;
}

static bool add_steps(gb_plan *plan, gb_body_plan *body)
{
    body->steps = 1;
    if (!is_short(body->plan))
        return true;
    body->length = body->plan->code.count - body->plan->once;
    body->code = gb_arena_take(&plan->arena, (GB_BODY_MOST * body->length + 1) * sizeof *body->code);
    if (!body->code)
        return out_of_memory(plan);
    for (size_t step = 0; step < GB_BODY_MOST; step++)
        if ((step > 0 && !add_buffers(plan, body, step)) || !add_code(plan, body, step))
            return false;
    body->steps = GB_BODY_MOST;
    return true;
}

gb_body_plan *gb_plan_body(gb_plan *plan, uint32_t value, const gb_kernel_call *call)
{
    gb_body_plan *const body = gb_arena_take(&plan->arena, sizeof *body);
    const gb_node owner = gb_node_at(gb_plan_tape(plan), plan->values.at[value].node);
    const gb_body *const of = body ? gb_node_own_body(owner) : NULL;
    if (!of) {
        out_of_memory(plan);
        return NULL;
    }
    *body = (gb_body_plan){.next = plan->bodies_of,
                           .goal = {.tape = gb_plan_tape(plan), .body = of, .is_apart = plan->goal->is_apart},
                           .call = call,
                           .value = value,
                           .outside = {.node = owner.id, .variable = GB_NONE, .in_body = true}};
    plan->bodies_of = body;
    return make_goal(plan, body) ? body : NULL;
}

bool gb_plan_body_buffers(gb_plan *plan, gb_body_plan *body)
{
    return find_buffers(plan, body) && add_steps(plan, body);
}
