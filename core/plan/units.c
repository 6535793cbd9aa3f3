/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Second pass of a plan: which values are computed together.
 *
 * Elementwise values over the same number of elements are fused, unless one of them needs another through an
 * operation that is not fused. The *stage* of a value decides: it grows by one along every edge that leaves a
 * unit. So values with the same number of elements and the same stage can share a unit, and sorting units by
 * stage is a valid order of execution. Afterwards a value moves to the later unit that alone uses it, if that
 * saves a buffer. */
#include <string.h>

#include "core/plan/pair_impl.h"
#include "core/plan/plan_impl.h"
#include "core/tape/op_impl.h"

typedef struct grouping {
    gb_plan *plan;
    const gb_memory *memory;
    uint32_t *stage; /* [values] */
    uint32_t *round; /* [values]: how many exchanges a value waits for, one after the other */
    uint32_t rounds;
    uint32_t *table; /* hash of units by key: 1 + index */
    size_t mask;
    uint32_t *user_first; /* [values + 1]: where the users of a value begin in `user` */
    uint32_t *user;
} grouping;

/* ---- units by key ---- */

static bool same_key(const gb_unit *a, const gb_unit *b)
{
    return a->kind == b->kind && a->constant == b->constant && a->stage == b->stage &&
           a->domain == b->domain && a->reduced == b->reduced && a->inner == b->inner;
}

static size_t hash_key(const gb_unit *key)
{
    uint64_t h = key->domain * 0x9e3779b97f4a7c15u;
    h = (h ^ key->stage ^ (uint64_t)key->constant << 40) * 0xbf58476d1ce4e5b9u;
    h = (h ^ key->inner ^ key->reduced << 20) * 0x94d049bb133111ebu;
    return (size_t)(h ^ h >> 31);
}

static bool find_unit(grouping *g, gb_unit key, bool shared, uint32_t *unit)
{
    gb_plan *const plan = g->plan;
    size_t i = hash_key(&key) & g->mask;
    while (shared && g->table[i] && !same_key(&plan->units.at[g->table[i] - 1], &key))
        i = (i + 1) & g->mask;
    if (shared && g->table[i]) {
        *unit = g->table[i] - 1;
        return true;
    }
    if (!GB_LIST_GROW(g->memory, &plan->units, 1))
        return gb_plan_out_of_memory(plan);
    key.first = key.last = GB_NONE;
    *unit = (uint32_t)plan->units.count;
    plan->units.at[plan->units.count++] = key;
    if (shared)
        g->table[i] = *unit + 1;
    return true;
}

/* ---- stages ---- */

/* Returns whether `user` may read `value` inside a unit, without a buffer. */
static bool may_fuse(const gb_plan *plan, const gb_planned *user, const gb_planned *value)
{
    return plan->fused && gb_is_member(value) && user->op->form != GB_FORM_KERNEL && !user->layout &&
           value->count == user->domain && value->constant == user->constant;
}

/* Returns whether a reduction has so many columns that it loops over blocks of columns, in a unit of its own
 * kind. */
static bool reduces_columns(const gb_plan *plan, const gb_planned *value, size_t *reduced, size_t *inner)
{
    size_t outer;
    if (value->op->form != GB_FORM_REDUCE)
        return false;
    gb_plan_reduction(plan, value, &outer, reduced, inner);
    return *inner > GB_COLUMNS_BY_LINE * (GB_LINE_BYTES / gb_width(gb_plan_tape(plan))) / 8 && *reduced > 0;
}

static uint32_t stage_of(const grouping *g, const gb_planned *value, bool columns)
{
    uint32_t stage = 0;
    for (uint32_t i = 0; i < value->args; i++) {
        const gb_planned *arg = &g->plan->values.at[value->arg[i]];
        if (gb_is_leaf(arg) || (arg->constant && !value->constant))
            continue;
        const uint32_t after = g->stage[value->arg[i]] + (columns || !may_fuse(g->plan, value, arg));
        stage = after > stage ? after : stage;
    }
    return stage;
}

static bool place_in_unit(grouping *g, uint32_t index)
{
    gb_plan *const plan = g->plan;
    gb_planned *value = &plan->values.at[index];
    if (gb_is_leaf(value) || !value->used)
        return true;
    gb_unit key = {.kind = GB_UNIT_BLOCKS, .constant = value->constant, .domain = value->domain};
    const bool columns = reduces_columns(plan, value, &key.reduced, &key.inner);
    key.stage = g->stage[index] = stage_of(g, value, columns);
    if (value->layout)
        return true; /* a view has no unit, but its stage delays its users */
    if (columns)
        key.kind = GB_UNIT_COLUMNS;
    else
        key.reduced = key.inner = 0;
    if (value->op->form == GB_FORM_KERNEL)
        key.kind = GB_UNIT_KERNEL;
    return find_unit(g, key, plan->fused && key.kind != GB_UNIT_KERNEL, &value->unit);
}

/* ---- exchanges: all of one round are one unit ---- */

/* Members of a team have other numbers of rows, and so other stages. The rounds are the same for all of them,
 * since they depend on the graph alone. */
static void find_rounds(grouping *g)
{
    for (uint32_t i = 0; i < g->plan->values.count; i++) {
        const gb_planned *const value = &g->plan->values.at[i];
        uint32_t round = 0;
        for (uint32_t a = 0; a < value->args; a++)
            round = g->round[value->arg[a]] > round ? g->round[value->arg[a]] : round;
        g->round[i] = round + gb_is_exchange(value);
        g->rounds = g->round[i] > g->rounds ? g->round[i] : g->rounds;
    }
}

/* It waits for the last of its members. */
static bool place_exchange(grouping *g, uint32_t round)
{
    gb_plan *const plan = g->plan;
    gb_unit key = {.kind = GB_UNIT_EXCHANGE};
    uint32_t unit;
    for (uint32_t i = 0; i < plan->values.count; i++) {
        const gb_planned *const value = &plan->values.at[i];
        const bool is_here = g->round[i] == round && gb_is_exchange(value) && value->used;
        const uint32_t stage = is_here ? stage_of(g, value, false) : 0;
        key.stage = stage > key.stage ? stage : key.stage;
    }
    if (!find_unit(g, key, false, &unit))
        return false;
    for (uint32_t i = 0; i < plan->values.count; i++) {
        gb_planned *const value = &plan->values.at[i];
        if (g->round[i] != round || !gb_is_exchange(value) || !value->used)
            continue;
        value->unit = unit;
        g->stage[i] = key.stage;
    }
    return true;
}

static bool place_round(grouping *g, uint32_t round)
{
    if (round > 0 && !place_exchange(g, round))
        return false;
    for (uint32_t i = 0; i < g->plan->values.count; i++)
        if (g->round[i] == round && !gb_is_exchange(&g->plan->values.at[i]) && !place_in_unit(g, i))
            return false;
    return true;
}

/* ---- moving values to their only user ---- */

static bool list_users(grouping *g)
{
    const gb_plan *plan = g->plan;
    const size_t count = plan->values.count;
    size_t edges = 0;
    for (size_t i = 0; i < count; i++)
        edges += plan->values.at[i].used ? plan->values.at[i].args : 0;
    g->user_first = gb_memory_resize(g->memory, NULL, (count + 2) * sizeof *g->user_first);
    g->user = gb_memory_resize(g->memory, NULL, (edges + 1) * sizeof *g->user);
    if (!g->user_first || !g->user)
        return gb_plan_out_of_memory(g->plan);
    memset(g->user_first, 0, (count + 2) * sizeof *g->user_first);
    for (size_t i = 0; i < count; i++)
        for (uint32_t a = 0; plan->values.at[i].used && a < plan->values.at[i].args; a++)
            g->user_first[plan->values.at[i].arg[a] + 2]++;
    for (size_t i = 2; i < count + 2; i++)
        g->user_first[i] += g->user_first[i - 1];
    for (size_t i = 0; i < count; i++)
        for (uint32_t a = 0; plan->values.at[i].used && a < plan->values.at[i].args; a++)
            g->user[g->user_first[plan->values.at[i].arg[a] + 1]++] = (uint32_t)i;
    return true;
}

/* Returns the unit that contains all users of a value, if they could read the value there; else GB_NONE. */
static uint32_t only_user(const grouping *g, uint32_t index)
{
    const gb_planned *value = &g->plan->values.at[index];
    uint32_t unit = GB_NONE;
    for (uint32_t i = g->user_first[index]; i < g->user_first[index + 1]; i++) {
        const gb_planned *user = &g->plan->values.at[g->user[i]];
        if (!may_fuse(g->plan, user, value) || (unit != GB_NONE && user->unit != unit))
            return GB_NONE;
        unit = user->unit;
    }
    return unit;
}

/* Returns whether moving a value to unit `to` would require a buffer for an argument that had none. One that
 * a user cannot read inside a unit has a buffer. If another user of it is in `to` or moves there too, it can
 * follow. */
static bool needs_new_buffer(const grouping *g, uint32_t index, uint32_t to)
{
    const gb_planned *value = &g->plan->values.at[index];
    for (uint32_t a = 0; a < value->args; a++) {
        const gb_planned *arg = &g->plan->values.at[value->arg[a]];
        if (!gb_is_member(arg) || arg->unit != value->unit || arg->kept || arg->assigns != GB_NONE)
            continue;
        bool others = arg->op->form == GB_FORM_NOISE, there = false, stored = false;
        for (uint32_t i = g->user_first[value->arg[a]]; i < g->user_first[value->arg[a] + 1]; i++) {
            const gb_planned *user = &g->plan->values.at[g->user[i]];
            stored |= !may_fuse(g->plan, user, arg);
            if (g->user[i] == index)
                continue;
            others |= user->unit == value->unit;
            there |=
                user->unit == to || (user->op->form == GB_FORM_ELEMENTWISE && only_user(g, g->user[i]) == to);
        }
        if (others && !there && !stored)
            return true;
    }
    return false;
}

static void sink_values(grouping *g)
{
    for (uint32_t index = (uint32_t)g->plan->values.count; index-- > 0;) {
        gb_planned *value = &g->plan->values.at[index];
        if (!value->used || value->op->form != GB_FORM_ELEMENTWISE || value->kept ||
            value->assigns != GB_NONE || value->constant)
            continue;
        const uint32_t to = only_user(g, index);
        if (to != GB_NONE && to != value->unit && !needs_new_buffer(g, index, to))
            value->unit = to;
    }
}

/* ---- pairs: two operations as one instruction ---- */

static const struct gb_pair *find_pair(const gb_op *first, const gb_op *second, uint32_t place)
{
    const bool either = second->commutes || second == &gb_total_op;
    const struct gb_pair *pair = first->pairs;
    for (; pair && pair->first; pair++)
        if (pair->first == first && pair->second == second && (either || pair->place == place))
            return pair;
    return NULL;
}

/* Returns whether the arguments of the first broadcast to the second in the same way as to the first. */
static bool repeats_alike(const gb_plan *plan, const gb_planned *first, const gb_planned *second)
{
    if (first->axes == second->axes && gb_shape_same(first->shape, second->shape))
        return true;
    for (uint32_t i = 0; i < first->args; i++) {
        const size_t count = plan->values.at[first->arg[i]].count;
        if (count != second->count && count != 1)
            return false;
    }
    return true;
}

static bool may_pair(const grouping *g, uint32_t index, const gb_planned *second)
{
    const gb_planned *first = &g->plan->values.at[index];
    return g->user_first[index + 1] - g->user_first[index] == 1 && first->used &&
           first->unit == second->unit && !first->kept && first->assigns == GB_NONE &&
           may_fuse(g->plan, second, first) && repeats_alike(g->plan, first, second);
}

static bool fuse_with_argument(grouping *g, gb_planned *second, uint32_t place)
{
    gb_plan *const plan = g->plan;
    gb_planned *const first = &plan->values.at[second->arg[place]];
    const struct gb_pair *const pair = find_pair(first->op, second->op, place);
    if (!pair || !may_pair(g, second->arg[place], second))
        return true;
    uint32_t *const args = gb_arena_take(&plan->arena, pair->whole->arguments * sizeof *args);
    if (!args)
        return gb_plan_out_of_memory(plan);
    memcpy(args, first->arg, first->args * sizeof *args);
    if (second->args == 2)
        args[first->args] = second->arg[!place];
    second->op = pair->whole;
    second->arg = args;
    second->args = first->args + second->args - 1;
    first->used = false;
    first->unit = GB_NONE;
    return true;
}

/* Goes backwards, so that of three operations in a row the last two become a pair. */
static bool fuse_pairs(grouping *g)
{
    for (size_t index = g->plan->values.count; index-- > 0;) {
        gb_planned *const second = &g->plan->values.at[index];
        const gb_op *const op = second->op;
        for (uint32_t i = 0; second->used && second->op == op && i < second->args; i++)
            if (!fuse_with_argument(g, second, i))
                return false;
    }
    return true;
}

/* ---- lists of members, and the order of units ---- */

static void link_members(gb_plan *plan)
{
    for (uint32_t index = 0; index < plan->values.count; index++) {
        gb_planned *value = &plan->values.at[index];
        if (value->unit == GB_NONE)
            continue;
        gb_unit *unit = &plan->units.at[value->unit];
        if (unit->first == GB_NONE)
            unit->first = index;
        else
            plan->values.at[unit->last].next_member = index;
        unit->last = index;
        unit->members++;
    }
}

/* Sorts units by stage, constant ones first; ties in the order of recording. A counting sort. */
static bool order_units(grouping *g)
{
    gb_plan *const plan = g->plan;
    uint32_t stages = 0;
    for (size_t i = 0; i < plan->units.count; i++)
        stages = plan->units.at[i].stage >= stages ? plan->units.at[i].stage + 1 : stages;
    uint32_t *start = gb_memory_resize(g->memory, NULL, (2 * (size_t)stages + 2) * sizeof *start);
    plan->order = gb_arena_take(&plan->arena, (plan->units.count + 1) * sizeof *plan->order);
    if (!start || !plan->order) {
        gb_memory_release(g->memory, start);
        return gb_plan_out_of_memory(plan);
    }
    memset(start, 0, (2 * (size_t)stages + 2) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < plan->units.count; i++) {
            const gb_unit *unit = &plan->units.at[i];
            const size_t key = unit->constant ? unit->stage : stages + (size_t)unit->stage;
            if (pass == 0)
                start[key + 1]++;
            else
                plan->order[start[key]++] = i;
        }
        for (size_t key = 0; pass == 0 && key < 2 * (size_t)stages; key++)
            start[key + 1] += start[key];
    }
    gb_memory_release(g->memory, start);
    return true;
}

static bool group(grouping *g)
{
    gb_plan *const plan = g->plan;
    const size_t count = plan->values.count;
    size_t table = 64;
    while (table < 2 * count)
        table *= 2;
    g->mask = table - 1;
    g->stage = gb_memory_resize(g->memory, NULL, (2 * count + 1) * sizeof *g->stage);
    g->table = gb_memory_resize(g->memory, NULL, table * sizeof *g->table);
    if (!g->stage || !g->table)
        return gb_plan_out_of_memory(plan);
    memset(g->stage, 0, 2 * count * sizeof *g->stage);
    g->round = g->stage + count;
    memset(g->table, 0, table * sizeof *g->table);
    if (gb_plan_team(plan))
        find_rounds(g);
    for (uint32_t round = 0; round <= g->rounds; round++)
        if (!place_round(g, round))
            return false;
    if (plan->fused) {
        if (!list_users(g))
            return false;
        sink_values(g); /* twice: a value that moves may have kept an earlier one from moving */
        sink_values(g);
        if (!fuse_pairs(g))
            return false;
    }
    link_members(plan);
    for (size_t i = 0; i < plan->units.count; i++)
        plan->groups += plan->units.at[i].members > 1;
    return order_units(g);
}

bool gb_plan_units(gb_plan *plan)
{
    grouping g = {.plan = plan, .memory = &gb_plan_tape(plan)->memory};
    const bool done = group(&g);
    gb_memory_release(g.memory, g.stage);
    gb_memory_release(g.memory, g.table);
    gb_memory_release(g.memory, g.user_first);
    gb_memory_release(g.memory, g.user);
    return done;
}
