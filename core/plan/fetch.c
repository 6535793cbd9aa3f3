/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fetching ahead. A loop goes through a block of one array, then through a block of another, so the processor
 * does not foresee which memory comes next. In plans that need more memory than the caches have, loops over
 * many arrays therefore have instructions that fetch: some members before an array is first used, in the same
 * block or in the one before. */
#include "core/plan/emitter_impl.h"

enum {
    LEAD = 16,    /* members between fetching and using */
    MANY = 5,     /* arrays; the processor foresees fewer by itself */
    FAR = 1 << 24 /* bytes; while all is nearer, fetching takes more time than it saves */
};

bool gb_emit_is_far(const gb_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->values.count; i++) {
        const gb_place_kind kind = plan->values.at[i].place.kind;
        if (kind == GB_IN_VARIABLE || kind == GB_IN_NEXT || kind == GB_IN_INPUT)
            count += plan->values.at[i].count;
    }
    return plan->work_bytes + count * gb_width(gb_plan_tape(plan)) >= FAR;
}

/* ---- the arrays of a loop ---- */

static bool same_pointer(const gb_pointer *a, const gb_pointer *b)
{
    return a->place.kind == b->place.kind && a->place.slot == b->place.slot &&
           a->place.offset == b->place.offset && a->place.data == b->place.data && a->offset == b->offset;
}

/* Lists an array that a member uses, unless it is among the latest ones. */
static bool list_array(gb_emitter *e, uint32_t member, gb_pointer pointer)
{
    enum { LOOK_BACK = 32 };
    const size_t count = e->fetches.count;
    for (size_t i = count > LOOK_BACK ? count - LOOK_BACK : 0; i < count; i++)
        if (same_pointer(&e->fetches.at[i].pointer, &pointer))
            return true;
    if (!GB_LIST_GROW(e->memory, &e->fetches, 1))
        return gb_plan_out_of_memory(e->plan);
    e->fetches.at[e->fetches.count++] = (gb_fetch){.pointer = pointer, .before = member};
    return true;
}

static bool list_arrays(gb_emitter *e)
{
    const gb_plan *const plan = e->plan;
    uint32_t member = 0;
    for (uint32_t i = e->unit->first; i != GB_NONE; i = plan->values.at[i].next_member, member++) {
        const gb_planned *const value = &plan->values.at[i];
        const gb_operand *const operand = &e->operands.at[(size_t)member * GB_MAX_BLOCK_ARGS];
        for (uint32_t a = 0; a < value->args; a++) {
            if (operand[a].kind != GB_OPERAND_DIRECT || operand[a].repeats)
                continue;
            const gb_place place = plan->values.at[operand[a].value].place;
            if (!list_array(e, member,
                            (gb_pointer){.place = place, .offset = operand[a].offset, .moves = true}))
                return false;
        }
        if (gb_is_member(value) && value->in_memory &&
            !list_array(e, member, (gb_pointer){.place = value->place, .moves = true}))
            return false;
    }
    return true;
}

/* ---- where they are fetched ---- */

/* Stores the member before which an array is fetched. Those of the first members are fetched in the block
 * before, by the last ones; so the list becomes one that begins in its middle. */
static void lead(gb_emitter *e)
{
    const uint32_t members = e->unit->members, ahead = members < LEAD ? members : LEAD;
    e->next_fetch = 0;
    for (size_t i = 0; i < e->fetches.count; i++) {
        gb_fetch *const fetch = &e->fetches.at[i];
        const bool is_before = fetch->before < ahead;
        fetch->before = is_before ? fetch->before + members - ahead : fetch->before - ahead;
        fetch->pointer.offset += is_before ? GB_BLOCK_BYTES : 0;
        e->next_fetch += is_before;
    }
    e->fetches_left = e->fetches.count;
}

bool gb_emit_find_fetches(gb_emitter *e)
{
    e->fetches.count = e->fetches_left = 0;
    if (!e->is_far || e->unit->kind != GB_UNIT_BLOCKS)
        return true;
    if (!list_arrays(e))
        return false;
    if (e->fetches.count >= MANY)
        lead(e);
    return true;
}

bool gb_emit_fetches(gb_emitter *e, uint32_t member)
{
    while (e->fetches_left > 0) {
        const gb_fetch *const fetch = &e->fetches.at[e->next_fetch % e->fetches.count];
        const gb_pointer pointers[] = {{.place = {.kind = GB_IN_DATA}}, fetch->pointer};
        if (fetch->before != member)
            return true;
        if (!gb_emit_push(e, (gb_block){.kernel = gb_fetch_kernel}, 2, pointers))
            return false;
        e->next_fetch++;
        e->fetches_left--;
    }
    return true;
}
