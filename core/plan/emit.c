/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Last pass of a plan: the instructions. A unit of at most one block is written out straight into the code; a larger
 * one becomes one instruction with a loop over blocks inside; a kernel is one instruction. */
#include <stddef.h>
#include <string.h>

#include "core/kernels/noise_impl.h"
#include "core/plan/plan_impl.h"

/* An argument that is neither a temporary nor a line of memory as it stands is first loaded into a temporary. */
typedef struct load {
    uint32_t value;
    const gb_strided *view;
    size_t offset; /* bytes, in the place it is loaded from */
    size_t slot;
    uint32_t last_use;
    bool done;
} load;

typedef enum operand_kind { OPERAND_MEMBER, OPERAND_DIRECT, OPERAND_LOAD } operand_kind;

typedef struct operand {
    operand_kind kind;
    uint32_t value; /* or the index of a load */
    size_t offset;  /* bytes */
    bool repeats;   /* one line for all */
} operand;

typedef struct emitter {
    gb_plan *plan;
    gb_tape *tape;
    const gb_memory *memory;
    size_t width, block; /* bytes of an element, elements of a block */
    uint32_t *last_use;  /* [values]: the last member of its unit that reads a temporary */
    uint32_t *watch;     /* 1 + the watch of: variables' old values, their new ones, inputs */
    /* of the current unit */
    const gb_unit *unit;
    GB_LIST(operand) operands;
    GB_LIST(load) loads;
    GB_LIST(size_t) free_slots;
    size_t slot_bytes, slots;
    gb_loop *loop; /* NULL: straight code */
    /* of the plan */
    size_t longest_loop; /* instructions */
} emitter;

/* A pointer, before it is known where things are. */
typedef struct pointer {
    gb_place place; /* GB_NOWHERE: the temporary at `offset` */
    size_t offset;
    bool moves;
} pointer;

/* ---- strides ---- */

/* The elements of `layout`, repeated to the axes and shape of what reads them. */
static void broadcast_layout(const gb_plan *plan, const gb_layout *layout, gb_axes axes, gb_shape shape,
                             gb_strided *out)
{
    gb_layout to;
    gb_plan_dense(plan, axes, shape, &to);
    int rank = 0;
    for (gb_axes rest = axes; rest; rest &= rest - 1, rank++) {
        const gb_axes axis = rest & (~rest + 1);
        out->axis[rank].size = (size_t)to.hidden_size[rank];
        out->axis[rank].stride =
            layout->axes & axis ? layout->hidden_stride[gb_axis_place(layout->axes, axis)] : 0;
    }
    for (int i = 0; i < shape.rank; i++, rank++) {
        const int from = i - shape.rank + layout->shape.rank;
        const bool repeated = from < 0 || (layout->shape.size[from] == 1 && shape.size[i] != 1);
        out->axis[rank].size = (size_t)shape.size[i];
        out->axis[rank].stride = repeated ? 0 : layout->stride[from];
    }
    out->rank = rank;
}

/* Drops axes of size 1 and joins those that follow each other in memory. */
static void collapse(gb_strided *view)
{
    int64_t rank = 0;
    view->count = 1;
    for (int64_t i = 0; i < view->rank; i++) {
        const size_t size = view->axis[i].size;
        const int64_t stride = view->axis[i].stride;
        view->count *= size;
        if (size == 1)
            continue;
        const bool joins = rank > 0 && view->axis[rank - 1].stride == (int64_t)size * stride;
        rank += !joins;
        view->axis[rank - 1].size = size * (joins ? view->axis[rank - 1].size : 1);
        view->axis[rank - 1].stride = stride;
    }
    if (rank == 0) {
        view->axis[0].size = 1;
        view->axis[0].stride = 0;
        rank = 1;
    }
    view->rank = rank;
}

/* ---- what the members of a unit read ---- */

static size_t strided_bytes(const gb_strided *view)
{
    return offsetof(gb_strided, axis) + (size_t)view->rank * sizeof view->axis[0];
}

static bool same_view(const gb_strided *a, const gb_strided *b)
{
    return a->rank == b->rank && memcmp(a, b, strided_bytes(a)) == 0;
}

/* A load of the same among the latest, or a new one. */
static bool find_load(emitter *e, load wanted, const gb_strided *view, operand *out)
{
    enum { LOOK_BACK = 16 };
    size_t i = e->loads.count;
    const size_t oldest = i > LOOK_BACK ? i - LOOK_BACK : 0;
    out->kind = OPERAND_LOAD;
    while (i > oldest) {
        load *at = &e->loads.at[--i];
        if (at->value == wanted.value && at->offset == wanted.offset && same_view(at->view, view)) {
            at->last_use = wanted.last_use;
            out->value = (uint32_t)i;
            return true;
        }
    }
    gb_strided *copy = gb_arena_take(&e->plan->arena, strided_bytes(view));
    if (!copy || !GB_LIST_GROW(e->memory, &e->loads, 1))
        return gb_plan_out_of_memory(e->plan);
    wanted.view = memcpy(copy, view, strided_bytes(view));
    out->value = (uint32_t)e->loads.count;
    e->loads.at[e->loads.count++] = wanted;
    return true;
}

static bool find_operand(emitter *e, uint32_t member, const gb_planned *user, uint32_t value, operand *out)
{
    const gb_plan *plan = e->plan;
    const gb_planned *arg = &plan->values.at[value];
    *out = (operand){.kind = OPERAND_MEMBER, .value = value};
    if (plan->fused && gb_is_member(arg) && arg->unit == user->unit) {
        e->last_use[value] = member;
        return true;
    }
    const uint32_t from = arg->layout ? arg->base : value;
    gb_layout dense;
    gb_strided view;
    memset(&view, 0, sizeof view); /* views are compared as bytes */
    if (!arg->layout)
        gb_plan_dense(plan, arg->axes, arg->shape, &dense);
    const gb_layout *layout = arg->layout ? arg->layout : &dense;
    const bool whole = arg->count == user->domain;
    broadcast_layout(plan, layout, whole ? arg->axes : user->axes, whole ? arg->shape : user->shape, &view);
    collapse(&view);
    /* Only kernels that go element by element can read one line again and again. */
    const bool repeats =
        view.rank == 1 && view.axis[0].stride == 0 && (gb_is_member(user) || user->domain == 1);
    const bool guarded = plan->values.at[from].op == &gb_input_op; /* may end where the data ends */
    const bool one = plan->values.at[from].count == 1;
    *out = (operand){.kind = OPERAND_DIRECT,
                     .value = from,
                     .offset = (size_t)layout->offset * e->width,
                     .repeats = repeats && user->domain != 1};
    if (!guarded && (repeats ? one : view.rank == 1 && view.axis[0].stride == 1))
        return true;
    if (repeats) {
        view.count = 1;
        view.axis[0].size = 1;
    }
    return find_load(e, (load){.value = from, .offset = out->offset, .last_use = member}, &view, out);
}

static bool find_operands(emitter *e)
{
    const gb_plan *plan = e->plan;
    uint32_t member = 0;
    e->operands.count = e->loads.count = 0;
    for (uint32_t i = e->unit->first; i != GB_NONE; i = plan->values.at[i].next_member, member++) {
        const gb_planned *value = &plan->values.at[i];
        e->last_use[i] = member;
        if (!GB_LIST_GROW(e->memory, &e->operands, GB_MAX_BLOCK_ARGS))
            return gb_plan_out_of_memory(e->plan);
        for (uint32_t a = 0; a < value->args; a++)
            if (!find_operand(e, member, value, value->arg[a], &e->operands.at[e->operands.count + a]))
                return false;
        e->operands.count += GB_MAX_BLOCK_ARGS;
    }
    return true;
}

/* ---- temporaries ---- */

static size_t slot_take(emitter *e)
{
    if (e->free_slots.count > 0)
        return e->free_slots.at[--e->free_slots.count];
    return e->slots++ * e->slot_bytes;
}

static bool slot_give_back(emitter *e, size_t slot)
{
    if (!GB_LIST_GROW(e->memory, &e->free_slots, 1))
        return gb_plan_out_of_memory(e->plan);
    e->free_slots.at[e->free_slots.count++] = slot;
    return true;
}

static void slots_begin(emitter *e)
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

/* ---- pointers ---- */

/* Where the pointer goes, if that is known for good; else NULL, and a fixup follows it. */
static const void *fixed_address(const emitter *e, pointer p)
{
    if (p.place.kind == GB_IN_WORK)
        return (const char *)e->plan->work + p.place.offset + p.offset;
    if (p.place.kind == GB_IN_DATA)
        return p.offset ? (const char *)p.place.data + p.offset : p.place.data;
    return NULL;
}

static uint32_t *watch_of(emitter *e, gb_place place)
{
    gb_plan *const plan = e->plan;
    const size_t variables = e->tape->variables.count;
    const size_t index = place.slot + (place.kind == GB_IN_NEXT    ? variables
                                       : place.kind == GB_IN_INPUT ? 2 * variables
                                                                   : 0);
    if (e->watch[index])
        return &plan->watches.at[e->watch[index] - 1].first;
    if (!GB_LIST_GROW(e->memory, &plan->watches, 1))
        return NULL;
    plan->watches.at[plan->watches.count] = (gb_watch){.kind = place.kind, .slot = place.slot};
    e->watch[index] = (uint32_t)++plan->watches.count;
    return &plan->watches.at[plan->watches.count - 1].first;
}

static bool follow(emitter *e, pointer p, gb_fixup fixup)
{
    uint32_t *const first = watch_of(e, p.place);
    if (!first || !GB_LIST_GROW(e->memory, &e->plan->fixups, 1))
        return gb_plan_out_of_memory(e->plan);
    fixup.offset = p.offset;
    fixup.next = *first;
    e->plan->fixups.at[e->plan->fixups.count++] = fixup;
    *first = (uint32_t)e->plan->fixups.count;
    return true;
}

static bool follows(gb_place place)
{
    return place.kind == GB_IN_VARIABLE || place.kind == GB_IN_NEXT || place.kind == GB_IN_INPUT;
}

static const void **operand_address(gb_block *block, size_t which)
{
    return which == 0 ? (const void **)(void *)&block->out : &block->in[which - 1];
}

/* Writes pointers into an instruction and appends it. pointers[0] is the output. */
static bool push(emitter *e, gb_block block, size_t count, const pointer *pointers)
{
    gb_plan *const plan = e->plan;
    const bool once = e->unit->constant;
    gb_loop_instruction in_loop = {.block = block};
    uint8_t temporary = 0;
    for (size_t i = 0; i < count; i++) {
        const pointer p = pointers[i];
        if (p.place.kind == GB_NOWHERE) {
            temporary |= (uint8_t)(1u << i);
            *operand_address(&block, i) = (const void *)(uintptr_t)p.offset;
        } else
            *operand_address(&block, i) = fixed_address(e, p);
        in_loop.moves |= (uint8_t)((unsigned)p.moves << i);
    }
    in_loop.block = block;
    in_loop.temporary = temporary;
    uint32_t index = 0;
    if (e->loop)
        e->loop->instruction[e->loop->count] = in_loop;
    else {
        if (!GB_LIST_GROW(e->memory, &plan->code, 1) || !GB_LIST_GROW(e->memory, &plan->code_temporary, 1) ||
            !GB_LIST_GROW(e->memory, &plan->once, 1) || !GB_LIST_GROW(e->memory, &plan->once_temporary, 1))
            return gb_plan_out_of_memory(plan);
        index = (uint32_t)(once ? plan->once.count++ : plan->code.count++);
        (once ? plan->once.at : plan->code.at)[index] = block;
        (once ? plan->once_temporary.at : plan->code_temporary.at)[index] = temporary;
        (once ? &plan->once_temporary.count : &plan->code_temporary.count)[0] = index + 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (!follows(pointers[i].place))
            continue;
        gb_fixup fixup = {.instruction = index, .list = once ? 2 : 1, .operand = (uint8_t)i};
        if (e->loop) {
            fixup.list = 0;
            fixup.where = operand_address(&e->loop->instruction[e->loop->count].block, i);
        }
        if (!follow(e, pointers[i], fixup))
            return false;
    }
    if (e->loop)
        e->loop->count++;
    return true;
}

/* ---- members ---- */

static gb_block_kernel *kernel_of(const emitter *e, const gb_block_kernels *kernels)
{
    return kernels->of[e->tape->isa][e->tape->options.real == GB_FLOAT];
}

static const gb_block_kernels load_kernels = GB_KERNELS(load), lane_kernels = GB_KERNELS(lane),
                              sum_kernels = GB_KERNELS(reduce_sum),
                              sum_end_kernels = GB_KERNELS(reduce_sum_end),
                              max_kernels = GB_KERNELS(reduce_max),
                              max_end_kernels = GB_KERNELS(reduce_max_end);

static uint32_t lines_of(const emitter *e)
{
    return (uint32_t)((e->unit->domain * e->width + GB_LINE_BYTES - 1) / GB_LINE_BYTES);
}

static bool emit_load(emitter *e, load *at)
{
    at->slot = slot_take(e);
    at->done = true;
    const gb_block block = {.kernel = kernel_of(e, &load_kernels),
                            .extra = at->view,
                            .lines = at->view->count == 1 ? 1 : lines_of(e)};
    const pointer pointers[] = {{.offset = at->slot},
                                {.place = e->plan->values.at[at->value].place, .offset = at->offset}};
    return push(e, block, 2, pointers);
}

static bool operand_pointer(emitter *e, const operand *from, pointer *to)
{
    const gb_plan *plan = e->plan;
    if (from->kind == OPERAND_LOAD) {
        load *at = &e->loads.at[from->value];
        if (!at->done && !emit_load(e, at))
            return false;
        *to = (pointer){.offset = at->slot};
        return true;
    }
    const gb_planned *value = &plan->values.at[from->value];
    if (from->kind == OPERAND_MEMBER && !value->in_memory) {
        *to = (pointer){.offset = value->place.offset};
        return true;
    }
    *to = (pointer){.place = value->place, .offset = from->offset, .moves = !from->repeats};
    return true;
}

static bool free_operands(emitter *e, uint32_t member, const operand *operands, uint32_t count)
{
    for (uint32_t a = 0; a < count; a++) {
        const operand *from = &operands[a];
        if (from->kind == OPERAND_LOAD && e->loads.at[from->value].last_use == member) {
            e->loads.at[from->value].last_use = GB_NONE;
            if (!slot_give_back(e, e->loads.at[from->value].slot))
                return false;
        }
        if (from->kind == OPERAND_MEMBER && e->last_use[from->value] == member) {
            const gb_planned *value = &e->plan->values.at[from->value];
            e->last_use[from->value] = GB_NONE;
            if (!value->in_memory && !slot_give_back(e, value->place.offset))
                return false;
        }
    }
    return true;
}

static void *extra_take(emitter *e, size_t bytes)
{
    void *extra = gb_arena_take(&e->plan->arena, bytes);
    if (!extra)
        gb_plan_out_of_memory(e->plan);
    return extra;
}

static bool emit_noise(emitter *e, const gb_planned *value, gb_block block, size_t count,
                       const pointer *pointers)
{
    gb_noise_state *state = extra_take(e, sizeof *state);
    if (!state)
        return false;
    memcpy(&state->key, value->attributes, sizeof state->key);
    state->step = &e->plan->program->noise_step;
    state->count = value->count;
    block.extra = state;
    return push(e, block, count, pointers);
}

static bool emit_lane(emitter *e, const gb_planned *value, gb_block block, size_t count,
                      const pointer *pointers)
{
    gb_lane_plan *lane = extra_take(e, sizeof *lane);
    if (!lane)
        return false;
    lane->lane = value->op->lane;
    block.extra = lane;
    block.kernel = kernel_of(e, &lane_kernels);
    return push(e, block, count, pointers);
}

static bool emit_check(emitter *e, const gb_planned *value, gb_block block, const pointer *pointers)
{
    gb_check_plan *check = extra_take(e, sizeof *check);
    if (!check)
        return false;
    check->count = value->domain;
    check->failed = &e->plan->failed[value->base];
    block.extra = check;
    return push(e, block, 2, (const pointer[]){{.place = {.kind = GB_IN_DATA}}, pointers[1]});
}

/* Partial results: of all columns, or of all [outer] that a chunk touches. */
static bool plan_reduction(emitter *e, const gb_planned *value, gb_reduce_plan *r)
{
    gb_plan_reduction(e->plan, value, &r->outer, &r->reduced, &r->inner);
    r->count = value->domain;
    r->by_column = e->unit->kind == GB_UNIT_COLUMNS;
    r->chunk = (e->loop ? GB_CHUNK_BLOCKS : 1) * e->block;
    const size_t each = r->reduced * r->inner;
    size_t touched = each > 0 ? (r->chunk - 1) / each + 2 : r->outer;
    if (touched > r->outer || r->by_column)
        touched = r->outer;
    r->partial_stride = (touched * r->inner + 7) / 8 * 8; /* whole lines: threads must not share one */
    const size_t chunks = r->by_column || r->count == 0 ? 1 : gb_reduce_chunks(r);
    r->partial = extra_take(e, (chunks * r->partial_stride + 1) * sizeof(double));
    return r->partial != NULL;
}

/* In straight code, and by columns, the reduction stores its own result; in a loop an instruction after it does. */
static bool emit_reduction(emitter *e, const gb_planned *value, gb_block block, pointer *pointers)
{
    const bool sum = value->op->reduction == GB_REDUCE_SUM;
    gb_reduce_plan *r = extra_take(e, sizeof *r);
    if (!r || !plan_reduction(e, value, r))
        return false;
    block.extra = r;
    block.kernel = kernel_of(e, sum ? &sum_kernels : &max_kernels);
    const bool stores = !e->loop || r->by_column;
    const pointer nothing = {.place = {.kind = GB_IN_DATA}};
    pointers[0].moves = false;
    if (e->unit->domain > 0 &&
        !push(e, block, 2, (const pointer[]){stores ? pointers[0] : nothing, pointers[1]}))
        return false;
    if (e->unit->domain > 0 && stores)
        return true;
    gb_loop *const loop = e->loop;
    e->loop = NULL;
    block.kernel = kernel_of(e, sum ? &sum_end_kernels : &max_end_kernels);
    const bool done = push(e, block, 1, pointers);
    e->loop = loop;
    return done;
}

static bool emit_member(emitter *e, uint32_t index, uint32_t member, const operand *operands)
{
    gb_planned *value = &e->plan->values.at[index];
    const gb_op *const op = value->op;
    gb_block block = {.lines = lines_of(e)};
    pointer pointers[1 + GB_MAX_BLOCK_ARGS] = {0};
    const uint32_t args = e->unit->domain > 0 ? value->args : 0; /* of nothing, nothing is read */
    for (uint32_t a = 0; a < args; a++) {
        if (!operand_pointer(e, &operands[a], &pointers[a + 1]))
            return false;
        block.step[a] = !operands[a].repeats;
    }
    if (gb_is_member(value) && !value->in_memory)
        value->place.offset = slot_take(e);
    pointers[0] = value->in_memory ? (pointer){.place = value->place, .moves = true}
                                   : (pointer){.offset = value->place.offset};
    if (op->blocks)
        block.kernel = kernel_of(e, op->blocks);
    bool done;
    if (gb_is_check(value))
        done = emit_check(e, value, block, pointers);
    else if (op->form == GB_FORM_REDUCE)
        done = emit_reduction(e, value, block, pointers);
    else if (op->form == GB_FORM_NOISE)
        done = emit_noise(e, value, block, 1 + args, pointers);
    else if (op->lane)
        done = emit_lane(e, value, block, 1 + args, pointers);
    else
        done = push(e, block, 1 + args, pointers);
    return done && free_operands(e, member, operands, args);
}

/* ---- units ---- */

static void loop_kernel(const gb_block *block, size_t lines, size_t first);

static bool emit_members(emitter *e)
{
    const gb_plan *plan = e->plan;
    uint32_t member = 0;
    for (uint32_t i = e->unit->first; i != GB_NONE; i = plan->values.at[i].next_member, member++)
        if ((e->unit->domain > 0 || plan->values.at[i].op->form == GB_FORM_REDUCE) &&
            !emit_member(e, i, member, &e->operands.at[(size_t)member * GB_MAX_BLOCK_ARGS]))
            return false;
    return true;
}

static bool emit_loop(emitter *e)
{
    gb_plan *const plan = e->plan;
    const gb_unit *unit = e->unit;
    gb_loop *loop = extra_take(e, sizeof *loop);
    if (!loop)
        return false;
    *loop = (gb_loop){.plan = plan,
                      .domain = unit->domain,
                      .block = e->block,
                      .reduced = unit->reduced,
                      .inner = unit->kind == GB_UNIT_COLUMNS ? unit->inner : 0};
    const size_t chunk = GB_CHUNK_BLOCKS * e->block;
    loop->tiles = loop->inner
                      ? unit->domain / unit->reduced / unit->inner * ((unit->inner + e->block - 1) / e->block)
                      : (unit->domain + chunk - 1) / chunk;
    loop->instruction = extra_take(e, (unit->members + e->loads.count) * sizeof *loop->instruction);
    if (!loop->instruction)
        return false;
    /* The loop comes first; what ends its reductions is pushed behind it. */
    const gb_block block = {.kernel = loop_kernel, .extra = loop, .lines = 0};
    if (!push(e, block, 0, NULL))
        return false;
    e->loop = loop;
    const bool done = emit_members(e);
    e->loop = NULL;
    loop->worth_threads = unit->domain * loop->count >= 100000;
    if (loop->count > e->longest_loop)
        e->longest_loop = loop->count;
    return done;
}

static void run_kernel(const gb_block *block, size_t lines, size_t first)
{
    (void)lines, (void)first;
    const gb_kernel_unit *unit = block->extra;
    const gb_kernel_call *call = &unit->call;
    call->op->run(call);
    const size_t width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    if (block->lines == 1) /* a single element fills its line */
        for (size_t i = 1; i < GB_LINE_BYTES / width; i++)
            memcpy((char *)call->out + i * width, call->out, width);
}

static bool emit_kernel(emitter *e)
{
    gb_plan *const plan = e->plan;
    const gb_planned *value = &plan->values.at[e->unit->first];
    gb_kernel_unit *unit = extra_take(e, sizeof *unit);
    gb_layout *layouts = extra_take(e, (value->args + 1) * sizeof *layouts);
    if (!unit || !layouts)
        return false;
    unit->in = extra_take(e, (value->args + 1) * sizeof *unit->in);
    if (!unit->in)
        return false;
    gb_kernel_call *const call = &unit->call;
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
    if (value->op->workspace) {
        call->workspace = extra_take(e, value->op->workspace(call) + GB_LINE_BYTES);
        if (!call->workspace)
            return false;
    }
    if (value->op->prepare && !value->op->prepare(e->tape, call))
        return false;
    for (uint32_t a = 0; a <= value->args; a++) {
        const gb_place place = a ? plan->values.at[value->arg[a - 1]].place : value->place;
        const void **where = a ? &unit->in[a - 1] : (const void **)(void *)&call->out;
        *where = fixed_address(e, (pointer){.place = place});
        if (follows(place) && !follow(e, (pointer){.place = place}, (gb_fixup){.where = where}))
            return false;
    }
    return push(e, (gb_block){.kernel = run_kernel, .extra = unit, .lines = value->count == 1}, 0, NULL);
}

static bool emit_unit(emitter *e, const gb_unit *unit)
{
    e->unit = unit;
    if (unit->kind == GB_UNIT_KERNEL)
        return emit_kernel(e);
    slots_begin(e);
    if (!find_operands(e))
        return false;
    const bool straight = unit->domain <= e->block && unit->kind == GB_UNIT_BLOCKS;
    if (!(straight ? emit_members(e) : emit_loop(e)))
        return false;
    if (e->slots * e->slot_bytes > e->plan->temporary_bytes)
        e->plan->temporary_bytes = e->slots * e->slot_bytes;
    return true;
}

/* ---- the end: scratch memory, and pointers into the finished code ---- */

static void place_temporaries(gb_plan *plan, gb_block *code, const uint8_t *temporary, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t which = 0; which <= GB_MAX_BLOCK_ARGS; which++)
            if (temporary[i] >> which & 1u) {
                const void **where = operand_address(&code[i], which);
                *where = plan->scratch + (uintptr_t)*where;
            }
}

static bool finish(emitter *e)
{
    gb_plan *const plan = e->plan;
    const size_t threads = gb_workers_count(plan->workers);
    plan->temporary_bytes += GB_LINE_BYTES;
    plan->scratch_bytes = plan->temporary_bytes + e->longest_loop * sizeof(gb_block);
    if (e->longest_loop > 0) /* the temporaries of every thread begin a page: see gb_buffer_alignment */
        plan->scratch_bytes = (plan->scratch_bytes + 8191) / 4096 * 4096;
    plan->scratch = gb_allocate_aligned(e->memory, plan->scratch_bytes * threads);
    if (!plan->scratch)
        return gb_plan_out_of_memory(plan);
    place_temporaries(plan, plan->code.at, plan->code_temporary.at, plan->code.count);
    place_temporaries(plan, plan->once.at, plan->once_temporary.at, plan->once.count);
    for (size_t i = 0; i < plan->fixups.count; i++) {
        gb_fixup *fixup = &plan->fixups.at[i];
        if (fixup->list)
            fixup->where = operand_address(
                &(fixup->list == 1 ? plan->code.at : plan->once.at)[fixup->instruction], fixup->operand);
    }
    return true;
}

static bool emit_all(emitter *e)
{
    gb_plan *const plan = e->plan;
    e->last_use = gb_memory_resize(e->memory, NULL, (plan->values.count + 1) * sizeof *e->last_use);
    plan->failed = gb_arena_take(&plan->arena, (plan->checks.count + 1) * sizeof *plan->failed);
    const size_t watched = 2 * e->tape->variables.count + e->tape->inputs.count + 1;
    e->watch = gb_memory_resize(e->memory, NULL, watched * sizeof *e->watch);
    if (!e->last_use || !e->watch || !plan->failed)
        return gb_plan_out_of_memory(plan);
    memset(e->watch, 0, watched * sizeof *e->watch);
    for (size_t i = 0; i < plan->units.count; i++)
        if (!emit_unit(e, &plan->units.at[plan->order[i]]))
            return false;
    return finish(e);
}

bool gb_plan_emit(gb_plan *plan)
{
    gb_tape *const tape = gb_plan_tape(plan);
    emitter e = {.plan = plan,
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

/* ---- loops ---- */

/* As numbers: a temporary's pointer is an offset until here, and an unused one is NULL. */
static inline uintptr_t shifted(const void *base, unsigned moves, size_t move, unsigned temporary,
                                const char *scratch)
{
    return (uintptr_t)base + move * moves + (uintptr_t)scratch * temporary;
}

/* The thread's own copy of the instructions, for the block that begins at byte `move` of each array. */
static void aim(const gb_loop *loop, gb_block *live, const char *temporaries, size_t move)
{
    for (size_t i = 0; i < loop->count; i++) {
        const gb_loop_instruction *from = &loop->instruction[i];
        const unsigned moves = from->moves, temporary = from->temporary;
        live[i] = from->block;
        live[i].out = (void *)shifted(from->block.out, moves & 1u, move, temporary & 1u, temporaries);
        for (unsigned a = 0; a < GB_MAX_BLOCK_ARGS; a++)
            live[i].in[a] = (const void *)shifted(from->block.in[a], moves >> (a + 1) & 1u, move,
                                                  temporary >> (a + 1) & 1u, temporaries);
    }
}

static inline void advance(gb_block *block, unsigned moves, size_t bytes)
{
    block->out = (void *)((uintptr_t)block->out + (moves & 1u ? bytes : 0));
    for (unsigned a = 0; a < GB_MAX_BLOCK_ARGS; a++)
        block->in[a] = (const void *)((uintptr_t)block->in[a] + (moves >> (a + 1) & 1u ? bytes : 0));
}

static inline size_t lines_of_bytes(size_t bytes)
{
    return (bytes + GB_LINE_BYTES - 1) / GB_LINE_BYTES;
}

static void run_chunk(const gb_loop *loop, gb_block *live, const char *temporaries, size_t width, size_t tile)
{
    const size_t chunk = GB_CHUNK_BLOCKS * loop->block, end = (tile + 1) * chunk;
    const size_t last = end < loop->domain ? end : loop->domain;
    aim(loop, live, temporaries, tile * chunk * width);
    for (size_t first = tile * chunk; first < last; first += loop->block) {
        const size_t count = last - first < loop->block ? last - first : loop->block;
        const size_t lines = lines_of_bytes(count * width);
        for (size_t i = 0; i < loop->count; i++) {
            const gb_loop_instruction *from = &loop->instruction[i];
            live[i].kernel(&live[i], lines, first);
            if (from->moves)
                advance(&live[i], from->moves, GB_BLOCK_BYTES);
        }
    }
}

static void run_columns(const gb_loop *loop, gb_block *live, const char *temporaries, size_t width,
                        size_t tile)
{
    const size_t per_outer = (loop->inner + loop->block - 1) / loop->block;
    const size_t outer = tile / per_outer, column = tile % per_outer * loop->block;
    const size_t count = loop->inner - column < loop->block ? loop->inner - column : loop->block;
    for (size_t row = 0; row < loop->reduced; row++) {
        const size_t first = (outer * loop->reduced + row) * loop->inner + column;
        aim(loop, live, temporaries, first * width);
        for (size_t i = 0; i < loop->count; i++)
            live[i].kernel(&live[i], lines_of_bytes(count * width), first);
    }
}

/* A thread's scratch: first its copy of the instructions, then temporaries. */
static void run_tile(void *context, size_t tile, unsigned thread)
{
    const gb_loop *loop = context;
    const gb_plan *plan = loop->plan;
    char *const scratch = plan->scratch + thread * plan->scratch_bytes;
    gb_block *const live = (gb_block *)(void *)(scratch + plan->temporary_bytes);
    (loop->inner ? run_columns : run_chunk)(loop, live, scratch, gb_width(gb_plan_tape(plan)), tile);
}

static void loop_kernel(const gb_block *block, size_t lines, size_t first)
{
    (void)lines, (void)first;
    const gb_loop *loop = block->extra;
    gb_workers *const workers = loop->plan->workers;
    if (loop->worth_threads)
        gb_workers_run(workers, loop->tiles, run_tile, (void *)(uintptr_t)loop);
    else
        for (size_t tile = 0; tile < loop->tiles; tile++)
            run_tile((void *)(uintptr_t)loop, tile, 0);
}
