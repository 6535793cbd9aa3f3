/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Last pass of a plan: the instructions. The members of a unit of at most one block become instructions of
 * their own. A larger unit becomes one instruction with a loop over blocks, and a kernel one instruction. */
#include <string.h>

#include "core/kernels/fetch_impl.h"
#include "core/kernels/noise_impl.h"
#include "core/kernels/team_impl.h"
#include "core/kernels/workers_impl.h"
#include "core/plan/emitter_impl.h"

/* ---- temporaries ---- */

static size_t slot_take(gb_emitter *e)
{
    if (e->free_slots.count > 0)
        return e->free_slots.at[--e->free_slots.count];
    return e->slots++ * e->slot_bytes;
}

static bool slot_free(gb_emitter *e, size_t slot)
{
    if (!GB_LIST_GROW(e->memory, &e->free_slots, 1))
        return gb_plan_out_of_memory(e->plan);
    e->free_slots.at[e->free_slots.count++] = slot;
    return true;
}

static void slots_begin(gb_emitter *e)
{
    const gb_plan *plan = e->plan;
    const size_t elements = e->unit->domain < e->block ? e->unit->domain : e->block;
    size_t multiple = GB_LINE_BYTES;
    for (uint32_t i = e->unit->first; i != GB_NONE; i = plan->values.at[i].next_member)
        if (plan->values.at[i].op->form == GB_FORM_NOISE)
            multiple = (size_t)GB_LINE_BYTES * GB_NOISE_GROUP_LINES;
    e->slot_bytes = (elements * e->width + multiple - 1) / multiple * multiple;
    e->slots = 0;
    e->free_slots.count = 0;
}

/* ---- members ---- */

static gb_block_kernel *kernel_of(const gb_emitter *e, const gb_block_kernels *kernels)
{
    return kernels->of[e->tape->isa][e->tape->options.real == GB_FLOAT];
}

static const gb_block_kernels load_kernels = GB_KERNELS(load), lane_kernels = GB_KERNELS(lane),
                              sum_kernels = GB_KERNELS(reduce_sum), max_kernels = GB_KERNELS(reduce_max);

/* 0 in a loop, where the number of lines depends on the block. */
static uint8_t lines_of(const gb_emitter *e)
{
    return e->in_loop ? 0 : (uint8_t)((e->unit->domain * e->width + GB_LINE_BYTES - 1) / GB_LINE_BYTES);
}

static bool emit_load(gb_emitter *e, gb_load *at)
{
    at->slot = slot_take(e);
    at->done = true;
    const gb_block block = {.kernel = kernel_of(e, &load_kernels),
                            .extra = at->view,
                            .lines = at->view->count == 1 ? 1 : lines_of(e),
                            .single = at->view->count == 1};
    const gb_pointer pointers[] = {{.offset = at->slot},
                                   {.place = e->plan->values.at[at->value].place, .offset = at->offset}};
    return gb_emit_push(e, block, 2, pointers);
}

static bool operand_pointer(gb_emitter *e, const gb_operand *from, gb_pointer *to)
{
    const gb_plan *plan = e->plan;
    if (from->kind == GB_OPERAND_LOAD) {
        gb_load *at = &e->loads.at[from->value];
        if (!at->done && !emit_load(e, at))
            return false;
        *to = (gb_pointer){.offset = at->slot};
        return true;
    }
    const gb_planned *value = &plan->values.at[from->value];
    if (from->kind == GB_OPERAND_MEMBER && !value->in_memory) {
        *to = (gb_pointer){.offset = value->place.offset};
        return true;
    }
    *to = (gb_pointer){.place = value->place, .offset = from->offset, .moves = !from->repeats};
    return true;
}

static bool free_operands(gb_emitter *e, uint32_t member, const gb_operand *operands, uint32_t count)
{
    for (uint32_t a = 0; a < count; a++) {
        const gb_operand *from = &operands[a];
        if (from->kind == GB_OPERAND_LOAD && e->loads.at[from->value].last_use == member) {
            e->loads.at[from->value].last_use = GB_NONE;
            if (!slot_free(e, e->loads.at[from->value].slot))
                return false;
        }
        if (from->kind == GB_OPERAND_MEMBER && e->last_use[from->value] == member) {
            const gb_planned *value = &e->plan->values.at[from->value];
            e->last_use[from->value] = GB_NONE;
            if (!value->in_memory && !slot_free(e, value->place.offset))
                return false;
        }
    }
    return true;
}

static void *extra_take(gb_emitter *e, size_t bytes)
{
    void *extra = gb_arena_take(&e->plan->arena, bytes);
    if (!extra)
        gb_plan_out_of_memory(e->plan);
    return extra;
}

static bool emit_noise(gb_emitter *e, const gb_planned *value, gb_block block, size_t count,
                       const gb_pointer *pointers)
{
    gb_noise_state *state = extra_take(e, sizeof *state);
    if (!state)
        return false;
    memcpy(&state->key, value->attributes, sizeof state->key);
    state->step = &e->plan->goal->noise_step;
    state->rows = &e->plan->goal->rows;
    state->count = value->count;
    if ((value->axes & GB_ROWS) && value->count > 0) {
        state->of_row = gb_shape_count(value->shape);
        state->of_pass = state->of_row * (size_t)e->plan->rows;
        state->of_row_in_all = value->count / (size_t)e->plan->rows;
    }
    block.extra = state;
    return gb_emit_push(e, block, count, pointers);
}

static bool emit_lane(gb_emitter *e, const gb_planned *value, gb_block block, size_t count,
                      const gb_pointer *pointers)
{
    gb_lane_plan *lane = extra_take(e, sizeof *lane);
    if (!lane)
        return false;
    lane->lane = value->op->lane;
    block.extra = lane;
    block.kernel = kernel_of(e, &lane_kernels);
    return gb_emit_push(e, block, count, pointers);
}

static bool emit_check(gb_emitter *e, const gb_planned *value, gb_block block, const gb_pointer *pointers)
{
    gb_check_plan *check = extra_take(e, sizeof *check);
    if (!check)
        return false;
    check->count = value->domain;
    check->failed = &e->plan->failed[value->base];
    block.extra = check;
    return gb_emit_push(e, block, 2, (const gb_pointer[]){{.place = {.kind = GB_IN_DATA}}, pointers[1]});
}

/* The partial results of a chunk cover every [outer] that it touches; those of a reduction by columns cover
 * all. */
static bool plan_reduction(gb_emitter *e, const gb_planned *value, gb_reduce_plan *r)
{
    gb_plan_reduction(e->plan, value, &r->outer, &r->reduced, &r->inner);
    r->count = value->domain;
    r->by_column = e->unit->kind == GB_UNIT_COLUMNS;
    r->chunk = (e->in_loop ? GB_CHUNK_BLOCKS : 1) * e->block;
    const size_t each = r->reduced * r->inner;
    size_t touched = each > 0 ? (r->chunk - 1) / each + 2 : r->outer;
    if (touched > r->outer || r->by_column)
        touched = r->outer;
    r->partial_stride = (touched * r->inner + 7) / 8 * 8; /* whole lines, since threads must not share one */
    const size_t chunks = r->by_column || r->count == 0 ? 1 : gb_reduce_chunks(r);
    r->partial = extra_take(e, (chunks * r->partial_stride + 1) * sizeof(double));
    return r->partial != NULL;
}

/* In straight code and by columns a reduction stores its own result. Otherwise the loop calls it once more at
 * the end. */
static bool emit_reduction(gb_emitter *e, const gb_planned *value, gb_block block, size_t count,
                           gb_pointer *pointers)
{
    gb_reduce_plan *r = extra_take(e, sizeof *r);
    if (!r || !plan_reduction(e, value, r))
        return false;
    block.extra = r;
    block.kernel = kernel_of(e, value->op->reduction == GB_REDUCE_SUM ? &sum_kernels : &max_kernels);
    block.ends = e->in_loop && !r->by_column;
    pointers[0].moves = false;
    return gb_emit_push(e, block, count, pointers);
}

static bool emit_member(gb_emitter *e, uint32_t index, uint32_t member, const gb_operand *operands)
{
    gb_planned *value = &e->plan->values.at[index];
    const gb_op *const op = value->op;
    gb_block block = {.lines = lines_of(e), .single = !e->in_loop && e->unit->domain == 1};
    gb_pointer pointers[1 + GB_MAX_BLOCK_ARGS] = {0};
    const uint32_t args = e->unit->domain > 0 ? value->args : 0; /* an empty array is not read */
    for (uint32_t a = 0; a < args; a++) {
        if (!operand_pointer(e, &operands[a], &pointers[a + 1]))
            return false;
        block.step[a] = !operands[a].repeats;
    }
    if (gb_is_member(value) && !value->in_memory)
        value->place.offset = slot_take(e);
    pointers[0] = value->in_memory ? (gb_pointer){.place = value->place, .moves = true}
                                   : (gb_pointer){.offset = value->place.offset};
    if (op->blocks)
        block.kernel = kernel_of(e, op->blocks);
    bool done;
    if (gb_is_check(value))
        done = emit_check(e, value, block, pointers);
    else if (op->form == GB_FORM_REDUCE)
        done = emit_reduction(e, value, block, 1 + args, pointers);
    else if (op->form == GB_FORM_NOISE)
        done = emit_noise(e, value, block, 1 + args, pointers);
    else if (op->lane)
        done = emit_lane(e, value, block, 1 + args, pointers);
    else
        done = gb_emit_push(e, block, 1 + args, pointers);
    return done && free_operands(e, member, operands, args);
}

/* ---- units ---- */

static bool emit_members(gb_emitter *e)
{
    const gb_plan *plan = e->plan;
    uint32_t member = 0;
    for (uint32_t i = e->unit->first; i != GB_NONE; i = plan->values.at[i].next_member, member++)
        if ((e->unit->domain > 0 || plan->values.at[i].op->form == GB_FORM_REDUCE) &&
            !emit_member(e, i, member, &e->operands.at[(size_t)member * GB_MAX_BLOCK_ARGS]))
            return false;
    return true;
}

static bool is_far(const gb_plan *plan)
{
    return plan->bytes >= GB_FAR_BYTES;
}

static bool emit_loop(gb_emitter *e)
{
    gb_plan *const plan = e->plan;
    const gb_unit *unit = e->unit;
    gb_loop *loop = extra_take(e, sizeof *loop);
    if (!loop)
        return false;
    *loop = (gb_loop){.scratch = &plan->scratch,
                      .workers = plan->workers,
                      .width = e->width,
                      .domain = unit->domain,
                      .block = e->block,
                      .is_far = is_far(plan),
                      .reduced = unit->reduced,
                      .inner = unit->kind == GB_UNIT_COLUMNS ? unit->inner : 0};
    const size_t chunk = GB_CHUNK_BLOCKS * e->block;
    loop->tiles = loop->inner
                      ? unit->domain / unit->reduced / unit->inner * ((unit->inner + e->block - 1) / e->block)
                      : (unit->domain + chunk - 1) / chunk;
    loop->bodies = &plan->bodies.at;
    loop->first = plan->bodies.count;
    if (!gb_emit_push(e, (gb_block){.kernel = gb_loop_kernel, .extra = loop}, 0, NULL))
        return false;
    e->in_loop = true;
    const bool done = emit_members(e);
    e->in_loop = false;
    loop->count = plan->bodies.count - loop->first;
    loop->worth_threads = unit->domain * loop->count >= 100000;
    if (loop->count > e->longest_loop)
        e->longest_loop = loop->count;
    return done;
}

/* A body's plan is found by the pointer in front of the workspace: see core/run/body.c. */
static bool take_workspace(gb_emitter *e, const gb_planned *value, gb_kernel_call *call)
{
    const size_t before = value->op->body ? GB_LINE_BYTES : 0;
    char *const block = extra_take(e, value->op->workspace(call) + before + GB_LINE_BYTES);
    if (!block)
        return false;
    call->workspace = block + before;
    if (!value->op->body)
        return true;
    gb_body_plan *const body = gb_plan_body(e->plan, e->unit->first, call);
    memcpy(block, &body, sizeof(gb_body_plan *));
    return body;
}

/* An array without elements has no instruction: its kernel would only count along its other axes. */
static bool emit_kernel(gb_emitter *e)
{
    gb_plan *const plan = e->plan;
    const gb_planned *value = &plan->values.at[e->unit->first];
    if (value->count == 0)
        return true;
    gb_call *unit = extra_take(e, sizeof *unit);
    gb_layout *layouts = extra_take(e, (value->args + 1) * sizeof *layouts);
    if (!unit || !layouts)
        return false;
    unit->in = extra_take(e, (value->args + 1) * sizeof *unit->in);
    if (!unit->in)
        return false;
    gb_kernel_call *const call = &unit->call;
    unit->run = value->op->run;
    *call = (gb_kernel_call){.op = value->op,
                             .attributes = value->attributes,
                             .real = e->tape->options.real,
                             .count = value->args,
                             .arg = layouts,
                             .in = unit->in,
                             .workers = plan->workers};
    gb_plan_dense(plan, value->axes, value->shape, &call->out_layout);
    for (uint32_t a = 0; a < value->args; a++) {
        const gb_planned *arg = &plan->values.at[value->arg[a]];
        gb_plan_dense(plan, arg->axes, arg->shape, &layouts[a]);
    }
    if (value->op->workspace && !take_workspace(e, value, call))
        return false;
    if (value->op->prepare && !value->op->prepare(e->tape, call))
        return false;
    for (uint32_t a = 0; a <= value->args; a++) {
        const gb_place place = a ? plan->values.at[value->arg[a - 1]].place : value->place;
        const void **where = a ? &unit->in[a - 1] : (const void **)(void *)&call->out;
        *where = gb_emit_address(e, (gb_pointer){.place = place});
        if (gb_emit_follows(place) && !gb_emit_follow(e, (gb_pointer){.place = place},
                                                      (gb_fixup){.where = where, .instruction = GB_NONE}))
            return false;
    }
    return gb_emit_push(e, (gb_block){.kernel = gb_call_kernel, .extra = unit, .lines = value->count == 1}, 0,
                        NULL);
}

/* The buffers that a part reads and writes, which may be those of a variable. */
static bool aim_part(gb_emitter *e, const gb_planned *value, gb_exchange_part *part)
{
    const gb_place place[2] = {e->plan->values.at[value->arg[0]].place, value->place};
    const void **const where[2] = {&part->from, (const void **)(void *)&part->to};
    for (int i = 0; i < 2; i++) {
        *where[i] = gb_emit_address(e, (gb_pointer){.place = place[i]});
        if (gb_emit_follows(place[i]) &&
            !gb_emit_follow(e, (gb_pointer){.place = place[i]},
                            (gb_fixup){.where = where[i], .instruction = GB_NONE}))
            return false;
    }
    return true;
}

static bool emit_exchange(gb_emitter *e)
{
    gb_plan *const plan = e->plan;
    gb_exchange *const x = extra_take(e, sizeof *x);
    if (!x)
        return false;
    *x = (gb_exchange){.mates = &e->tape->mates, .real = e->tape->options.real};
    x->part = extra_take(e, (e->unit->members + 1) * sizeof *x->part);
    for (uint32_t i = e->unit->first; x->part && i != GB_NONE; i = plan->values.at[i].next_member) {
        const gb_planned *const value = &plan->values.at[i];
        gb_exchange_part *const part = &x->part[x->parts++];
        *part = (gb_exchange_part){.count = value->count, .by = value->op->reduction};
        x->count[part->by] += part->count < GB_TRAVELS_ALONE ? part->count : 0;
        plan->exchanged = gb_noise_mix(plan->exchanged ^ (2 * part->count + (uint64_t)part->by + 1));
        if (!aim_part(e, value, part))
            return false;
    }
    const size_t most = x->count[0] > x->count[1] ? x->count[0] : x->count[1];
    x->message = x->part ? extra_take(e, (most + 1) * e->width) : NULL;
    return x->message && gb_emit_push(e, (gb_block){.kernel = gb_exchange_kernel, .extra = x}, 0, NULL);
}

static bool emit_unit(gb_emitter *e, const gb_unit *unit)
{
    e->unit = unit;
    if (unit->kind == GB_UNIT_EXCHANGE)
        return emit_exchange(e);
    if (unit->kind == GB_UNIT_KERNEL)
        return emit_kernel(e);
    slots_begin(e);
    if (!gb_emit_find_operands(e))
        return false;
    const bool straight = unit->domain <= e->block && unit->kind == GB_UNIT_BLOCKS;
    if (!(straight ? emit_members(e) : emit_loop(e)))
        return false;
    if (e->slots * e->slot_bytes > e->plan->scratch.temporary_bytes)
        e->plan->scratch.temporary_bytes = e->slots * e->slot_bytes;
    return true;
}

/* ---- the end: scratch memory, and pointers into the finished code ---- */

/* For straight code only: in a loop each thread has its own temporaries. */
static void place_temporaries(gb_plan *plan)
{
    for (size_t i = 0; i < plan->code.count; i++)
        for (size_t which = 0; which <= GB_MAX_BLOCK_ARGS; which++)
            if (plan->code.at[i].temporary >> which & 1u) {
                const void **where = gb_emit_operand(&plan->code.at[i], which);
                *where = plan->scratch.at + (uintptr_t)*where;
            }
}

static bool finish(gb_emitter *e)
{
    gb_plan *const plan = e->plan;
    gb_scratch *const scratch = &plan->scratch;
    scratch->temporary_bytes += GB_LINE_BYTES;
    const size_t fetches = is_far(plan) ? GB_FETCH_MOST : 0;
    scratch->bytes = scratch->temporary_bytes + (e->longest_loop + fetches) * sizeof(gb_block);
    if (e->longest_loop > 0) /* the temporaries of every thread begin a page: see gb_buffer_alignment */
        scratch->bytes = (scratch->bytes + 8191) / 4096 * 4096;
    scratch->at = gb_allocate_aligned(e->memory, scratch->bytes * gb_workers_count(plan->workers));
    if (!scratch->at)
        return gb_plan_out_of_memory(plan);
    place_temporaries(plan);
    for (size_t i = 0; i < plan->fixups.count; i++) {
        gb_fixup *fixup = &plan->fixups.at[i];
        if (fixup->instruction != GB_NONE)
            fixup->where = gb_emit_operand(
                &(fixup->in_loop ? plan->bodies.at : plan->code.at)[fixup->instruction], fixup->operand);
    }
    return true;
}

static bool emit_all(gb_emitter *e)
{
    gb_plan *const plan = e->plan;
    e->last_use = gb_memory_resize(e->memory, NULL, (plan->values.count + 1) * sizeof *e->last_use);
    plan->failed = gb_arena_take(&plan->arena, (plan->checks.count + 1) * sizeof *plan->failed);
    const size_t watched = 2 * e->tape->variables.count + e->tape->inputs.count + 1;
    e->watch = gb_memory_resize(e->memory, NULL, watched * sizeof *e->watch);
    if (!e->last_use || !e->watch || !plan->failed)
        return gb_plan_out_of_memory(plan);
    memset(e->watch, 0, watched * sizeof *e->watch);
    for (size_t i = 0; i < plan->units.count; i++) {
        const gb_unit *unit = &plan->units.at[plan->order[i]];
        if (!emit_unit(e, unit))
            return false;
        if (unit->constant)
            plan->once = plan->code.count;
    }
    return finish(e);
}

bool gb_plan_emit(gb_plan *plan)
{
    gb_tape *const tape = gb_plan_tape(plan);
    gb_emitter e = {.plan = plan,
                    .tape = tape,
                    .memory = &tape->memory,
                    .width = gb_width(tape),
                    .block = gb_plan_block(plan)};
    const bool done = emit_all(&e);
    gb_memory_release(e.memory, e.last_use);
    gb_memory_release(e.memory, e.watch);
    gb_memory_release(e.memory, e.operands.at);
    gb_memory_release(e.memory, e.loads.at);
    gb_memory_release(e.memory, e.free_slots.at);
    return done;
}
