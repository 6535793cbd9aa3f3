/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Third pass of a plan: the place of each value. A value that only its own unit reads is a temporary of that
 * unit and has no buffer. A buffer is used again after the last unit that reads its value. */
#include <string.h>

#include "core/plan/plan_impl.h"
#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

/* A free range of the work memory. Neighbouring ranges are joined. Only MOST_GAPS of them are kept, so that
 * planning stays linear: the smallest is dropped, and its memory stays unused. */
typedef struct gap {
    size_t offset, size;
} gap;
enum { MOST_GAPS = 64 };

typedef struct placing {
    gb_plan *plan;
    const gb_memory *memory;
    uint32_t *position;   /* [units]: the place of a unit in the order of execution */
    uint32_t *dies_first; /* [positions]: 1 + the first value whose buffer is free after this unit */
    uint32_t *dies_next;  /* [values]: 1 + the next such value */
    gap gaps[MOST_GAPS];
    size_t gap_count;
    size_t end;
} placing;

/* ---- values with buffers, and their last uses ---- */

static void used_by(placing *p, uint32_t index, const gb_planned *user)
{
    gb_planned *value = &p->plan->values.at[index];
    if (value->layout)
        value = &p->plan->values.at[value->base];
    if (gb_is_leaf(value) || user->unit == GB_NONE)
        return;
    const bool inside = gb_is_member(value) && value->unit == user->unit &&
                        !p->plan->values.at[index].layout && user->op->form != GB_FORM_KERNEL;
    if (!inside)
        value->in_memory = true;
    if (p->position[user->unit] > value->last_unit)
        value->last_unit = p->position[user->unit];
}

static void find_uses(placing *p)
{
    gb_plan *const plan = p->plan;
    for (size_t i = 0; i < plan->units.count; i++)
        p->position[plan->order[i]] = (uint32_t)i;
    for (size_t i = 0; i < plan->values.count; i++) {
        gb_planned *value = &plan->values.at[i];
        if (value->unit == GB_NONE)
            continue;
        value->in_memory = value->kept || value->assigns != GB_NONE || !gb_is_member(value) || !plan->fused;
        value->last_unit = p->position[value->unit];
    }
    for (size_t i = 0; i < plan->values.count; i++)
        for (uint32_t a = 0; plan->values.at[i].used && a < plan->values.at[i].args; a++)
            used_by(p, plan->values.at[i].arg[a], &plan->values.at[i]);
}

/* ---- work memory ---- */

static void remove_gap(placing *p, size_t which)
{
    p->gaps[which] = p->gaps[--p->gap_count];
}

static size_t take(placing *p, size_t size)
{
    size_t best = p->gap_count;
    for (size_t i = 0; i < p->gap_count; i++)
        if (p->gaps[i].size >= size && (best == p->gap_count || p->gaps[i].size < p->gaps[best].size))
            best = i;
    if (best == p->gap_count) {
        p->end += size;
        return p->end - size;
    }
    gap *const chosen = &p->gaps[best];
    const size_t offset = chosen->offset;
    chosen->offset += size;
    chosen->size -= size;
    if (chosen->size == 0)
        remove_gap(p, best);
    return offset;
}

static void release(placing *p, gap freed)
{
    for (size_t i = 0; i < p->gap_count;) {
        const gap at = p->gaps[i];
        const bool before = at.offset + at.size == freed.offset,
                   after = freed.offset + freed.size == at.offset;
        if (!before && !after) {
            i++;
            continue;
        }
        freed.offset = before ? at.offset : freed.offset;
        freed.size += at.size;
        remove_gap(p, i);
    }
    size_t smallest = 0;
    for (size_t i = 1; i < p->gap_count; i++)
        smallest = p->gaps[i].size < p->gaps[smallest].size ? i : smallest;
    if (p->gap_count < MOST_GAPS)
        p->gaps[p->gap_count++] = freed;
    else if (freed.size > p->gaps[smallest].size)
        p->gaps[smallest] = freed;
}

static size_t buffer_bytes(const placing *p, const gb_planned *value)
{
    const size_t bytes = gb_buffer_bytes(gb_plan_tape(p->plan), value->count);
    const size_t alignment = gb_buffer_alignment(bytes);
    return (bytes + alignment - 1) / alignment * alignment;
}

static void place_member(placing *p, uint32_t index)
{
    gb_planned *value = &p->plan->values.at[index];
    if (!value->in_memory)
        return;
    if (value->assigns != GB_NONE) {
        p->plan->bytes += buffer_bytes(p, value);
        value->place = (gb_place){.kind = GB_IN_NEXT, .slot = value->assigns};
        return;
    }
    if (gb_is_check(value))
        return; /* a check has no result */
    /* The buffers of roots and constants are never freed. A constant has a new buffer, since it is computed
     * in the first run only and an earlier value in the same buffer would overwrite it in the next. */
    const bool forever = value->kept || value->constant || !p->plan->fused;
    const size_t bytes = buffer_bytes(p, value);
    if (value->constant || (value->kept && p->plan->goal->body)) { /* see core/plan/body.c */
        value->place = (gb_place){.kind = GB_IN_WORK, .offset = p->end};
        p->end += bytes;
    } else
        value->place = (gb_place){.kind = GB_IN_WORK, .offset = take(p, bytes)};
    if (!forever) {
        p->dies_next[index] = p->dies_first[value->last_unit];
        p->dies_first[value->last_unit] = index + 1;
    }
}

static void place_units(placing *p)
{
    gb_plan *const plan = p->plan;
    for (uint32_t at = 0; at < plan->units.count; at++) {
        const gb_unit *unit = &plan->units.at[plan->order[at]];
        for (uint32_t index = unit->first; index != GB_NONE; index = plan->values.at[index].next_member)
            place_member(p, index);
        for (uint32_t index = p->dies_first[at]; index; index = p->dies_next[index - 1]) {
            const gb_planned *value = &plan->values.at[index - 1];
            release(p, (gap){.offset = value->place.offset, .size = buffer_bytes(p, value)});
        }
    }
}

/* ---- leaves ---- */

/* Stores a number in all elements of a line. */
static bool place_number(gb_plan *plan, gb_planned *value, double number)
{
    void *line = gb_arena_take(&plan->arena, GB_LINE_BYTES);
    if (!line)
        return gb_plan_out_of_memory(plan);
    gb_store_values(gb_plan_tape(plan), value->type, line, 1, gb_fill(number));
    value->place = (gb_place){.kind = GB_IN_DATA, .data = line};
    return true;
}

/* The number of all rows of a team is stored before each run. */
static bool place_row_count(gb_plan *plan, gb_planned *value)
{
    if (!plan->row_count && !place_number(plan, value, 0))
        return false;
    if (!plan->row_count)
        plan->row_count = (void *)(uintptr_t)value->place.data;
    value->place = (gb_place){.kind = GB_IN_DATA, .data = plan->row_count};
    return true;
}

/* Stores first, first + 1 … The last number fills a line, as a single one must. */
static void store_index(const gb_plan *plan, void *to, size_t count, uint64_t first)
{
    const gb_tape *const tape = gb_plan_tape(plan);
    for (size_t i = 0; i < count; i++)
        gb_store_values(tape, GB_TYPE_REAL, (char *)to + i * gb_width(tape), 1, gb_fill((double)(first + i)));
}

/* Rows have their places among those of all members of a team. */
static bool place_index(gb_plan *plan, gb_planned *value)
{
    const bool is_of_team = gb_plan_team(plan) && (value->axes & GB_ROWS);
    void *const data = is_of_team && plan->row_index
                           ? plan->row_index
                           : gb_arena_take(&plan->arena, gb_buffer_bytes(gb_plan_tape(plan), value->count));
    if (!data)
        return gb_plan_out_of_memory(plan);
    plan->row_index = is_of_team ? data : plan->row_index;
    store_index(plan, data, value->count, 0);
    value->place = (gb_place){.kind = GB_IN_DATA, .data = data};
    return true;
}

void gb_plan_place_rows(gb_plan *plan, const gb_rows_place *at)
{
    const uint64_t own = plan->rows > 0 ? (uint64_t)plan->rows : 0;
    if (plan->row_count)
        gb_store_values(gb_plan_tape(plan), GB_TYPE_REAL, plan->row_count, 1,
                        gb_fill((double)(at->others + own)));
    if (plan->row_index)
        store_index(plan, plan->row_index, own, at->before);
    for (gb_body_plan *body = plan->bodies_of; body; body = body->next)
        gb_plan_place_rows(body->plan, at);
}

static bool place_leaf(placing *p, gb_planned *value)
{
    gb_plan *const plan = p->plan;
    const gb_tape *tape = gb_plan_tape(plan);
    if (value->op == &gb_given_op) {
        value->place = (gb_place){.kind = GB_IN_WORK, .offset = p->end};
        p->end += buffer_bytes(p, value);
        return true;
    }
    if (value->op == &gb_constant_op) {
        const gb_constant_data *constant = value->attributes;
        if (!constant->data)
            return place_number(plan, value, constant->value);
        value->place = (gb_place){.kind = GB_IN_DATA, .data = constant->data};
        return true;
    }
    if (value->op == &gb_axis_index_op)
        return place_index(plan, value);
    if (value->op == &gb_axis_size_op) {
        gb_axes axis;
        memcpy(&axis, value->attributes, sizeof axis);
        const int bit = gb_lowest_axis(axis);
        if (bit == 63 && gb_plan_team(plan))
            return place_row_count(plan, value);
        const int64_t size = bit == 0 ? plan->samples : bit == 63 ? plan->rows : tape->axes.at[bit - 1].size;
        return place_number(plan, value, (double)size);
    }
    plan->bytes += buffer_bytes(p, value);
    value->place = (gb_place){.kind = value->op == &gb_variable_op ? GB_IN_VARIABLE : GB_IN_INPUT,
                              .slot = ((const gb_slot_index *)value->attributes)->index};
    return true;
}

static bool place_all(placing *p)
{
    gb_plan *const plan = p->plan;
    const size_t units = plan->units.count, values = plan->values.count;
    p->position = gb_memory_resize(p->memory, NULL, (units + 1) * sizeof *p->position);
    p->dies_first = gb_memory_resize(p->memory, NULL, (units + 1) * sizeof *p->dies_first);
    p->dies_next = gb_memory_resize(p->memory, NULL, (values + 1) * sizeof *p->dies_next);
    if (!p->position || !p->dies_first || !p->dies_next)
        return gb_plan_out_of_memory(plan);
    memset(p->dies_first, 0, (units + 1) * sizeof *p->dies_first);
    for (size_t i = 0; i < values; i++)
        if (gb_is_leaf(&plan->values.at[i]) && !place_leaf(p, &plan->values.at[i]))
            return false;
    find_uses(p);
    place_units(p);
    plan->work_bytes = p->end;
    plan->bytes += p->end;
    plan->work = gb_allocate_aligned(p->memory, p->end);
    return plan->work || gb_plan_out_of_memory(plan);
}

bool gb_plan_places(gb_plan *plan)
{
    placing p = {.plan = plan, .memory = &gb_plan_tape(plan)->memory};
    const bool done = place_all(&p);
    gb_memory_release(p.memory, p.position);
    gb_memory_release(p.memory, p.dies_first);
    gb_memory_release(p.memory, p.dies_next);
    return done;
}
