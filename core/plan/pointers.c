/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions and their pointers: to temporaries, to buffers, and to variables and inputs, whose addresses change between
 * runs. */
#include "core/plan/emitter_impl.h"

const void *gb_emit_address(const gb_emitter *e, gb_pointer p)
{
    if (p.place.kind == GB_IN_WORK)
        return (const char *)e->plan->work + p.place.offset + p.offset;
    if (p.place.kind == GB_IN_DATA)
        return p.offset ? (const char *)p.place.data + p.offset : p.place.data;
    return NULL;
}

static uint32_t *watch_of(gb_emitter *e, gb_place place)
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

bool gb_emit_follow(gb_emitter *e, gb_pointer p, gb_fixup fixup)
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

bool gb_emit_follows(gb_place place)
{
    return place.kind == GB_IN_VARIABLE || place.kind == GB_IN_NEXT || place.kind == GB_IN_INPUT;
}

const void **gb_emit_operand(gb_block *block, size_t which)
{
    return which == 0 ? (const void **)(void *)&block->out : &block->in[which - 1];
}

bool gb_emit_push(gb_emitter *e, gb_block block, size_t count, const gb_pointer *pointers)
{
    gb_plan *const plan = e->plan;
    for (size_t i = 0; i < count; i++) {
        const gb_pointer p = pointers[i];
        const bool temporary = p.place.kind == GB_NOWHERE;
        *gb_emit_operand(&block, i) = temporary ? (const void *)(uintptr_t)p.offset : gb_emit_address(e, p);
        block.temporary |= (uint8_t)((unsigned)temporary << i);
        block.moves |= (uint8_t)((unsigned)p.moves << i);
    }
    gb_blocks *const list = e->in_loop ? &plan->bodies : &plan->code;
    if (!GB_LIST_GROW(e->memory, list, 1))
        return gb_plan_out_of_memory(plan);
    const uint32_t index = (uint32_t)list->count++;
    list->at[index] = block;
    for (size_t i = 0; i < count; i++) {
        const gb_fixup fixup = {.instruction = index, .in_loop = e->in_loop, .operand = (uint8_t)i};
        if (gb_emit_follows(pointers[i].place) && !gb_emit_follow(e, pointers[i], fixup))
            return false;
    }
    return true;
}
