/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/known_impl.h"

#include <string.h>

enum { GROUP_MOST = 60 /* instructions of a group */ };

/* In a loop, what the keys of temporaries begin with: they have offsets for addresses. */
static const gb_array_key OFFSET_KEY = (gb_array_key)1 << 62;

/* ---- which arrays ---- */

static size_t lines_of_temporaries(const gb_knowledge *k)
{
    return k->plan->scratch.temporary_bytes / GB_LINE_BYTES + 1;
}

static gb_array_key follow_key(uint32_t watch, size_t offset)
{
    return (gb_array_key)1 << GB_KEY_FOLLOWS | (gb_array_key)(watch + 1) << GB_KEY_OFFSET | offset;
}

/* Pointers that move between runs have keys by what they follow. */
static bool find_followed(gb_knowledge *k)
{
    const gb_plan *const plan = k->plan;
    for (uint32_t i = 0; i < plan->watches.count; i++)
        for (uint32_t at = plan->watches.at[i].first; at; at = plan->fixups.at[at - 1].next) {
            const gb_fixup *const fixup = &plan->fixups.at[at - 1];
            if (fixup->offset >> GB_KEY_OFFSET || i >> 20)
                return false;
            if (fixup->instruction != GB_NONE && fixup->in_loop == k->in_loop)
                k->known[fixup->instruction].key[fixup->operand] = follow_key(i, fixup->offset);
        }
    return true;
}

static void find_keys(gb_knowledge *k, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < GB_OPERANDS; a++) {
            const gb_block *const block = &k->code[i];
            const bool is_offset = k->in_loop && block->temporary >> a & 1u;
            if (k->known[i].key[a] == 0)
                k->known[i].key[a] =
                    (uintptr_t)(a ? block->in[a - 1] : block->out) | (is_offset ? OFFSET_KEY : 0);
        }
}

bool gb_know(gb_knowledge *k, bool in_loop)
{
    const gb_blocks *const list = in_loop ? &k->plan->bodies : &k->plan->code;
    k->code = list->at;
    k->in_loop = in_loop;
    k->known = gb_arena_take(&k->arena, (list->count + 1) * sizeof *k->known);
    k->latest = gb_arena_take(&k->arena, lines_of_temporaries(k) * sizeof *k->latest);
    if (!k->known || !k->latest || !find_followed(k))
        return false;
    find_keys(k, list->count);
    return true;
}

size_t gb_known_bytes(const gb_knowledge *k, size_t instruction, size_t operand)
{
    const gb_block *const block = &k->code[instruction];
    if (k->in_loop)
        return block->moves >> operand & 1u || block->temporary >> operand & 1u ? GB_BLOCK_BYTES
                                                                                : GB_LINE_BYTES;
    const bool is_line = block->lines == 0 || (operand > 0 && !block->step[operand - 1]);
    return (is_line ? 1 : block->lines) * (size_t)GB_LINE_BYTES;
}

/* ---- how each is written ---- */

/* Kernels without a formula, as what calls of them may be written, and names of native_prelude.h. */
static const struct {
    gb_block_kernels kernels;
    gb_written as;
    const char *name;
} others[] = {
    {GB_KERNELS(all_finite), GB_AS_CHECK, "finite"},
    {GB_KERNELS(none_above), GB_AS_CHECK, "none_above"},
    {GB_KERNELS(none_nan), GB_AS_CHECK, "none_nan"},
    {GB_KERNELS(load), GB_AS_ROW, NULL},
    {GB_KERNELS(reduce_sum), GB_AS_SUMS, "sum_reducer"},
    {GB_KERNELS(reduce_sum), GB_AS_NUMBER, "sum_reducer"},
    {GB_KERNELS(reduce_max), GB_AS_NUMBER, "max_reducer"},
};

/* A row of contiguous elements that is the same for each row of the others. */
static bool is_row(const gb_strided *view)
{
    return view->rank == 2 && view->axis[0].stride == 0 && view->axis[1].stride == 1;
}

static bool can_be(const gb_knowledge *k, const gb_block *block, gb_written as)
{
    const gb_reduce_plan *const plan = block->extra;
    switch (as) {
    case GB_AS_ROW: return k->in_loop && is_row(block->extra);
    case GB_AS_SUMS: return k->in_loop && plan->inner == 1 && plan->outer > 1;
    case GB_AS_NUMBER: return !k->in_loop && plan->outer * plan->inner == 1;
    default: return true;
    }
}

static void find_how(gb_knowledge *k, size_t i)
{
    const gb_tape *const tape = gb_plan_tape(k->plan);
    const gb_block *const block = &k->code[i];
    gb_known *const known = &k->known[i];
    /* A vector of AVX-512 is a line. */
    const bool is_one_vector = block->single || (block->lines == 1 && tape->isa == GB_ISA_AVX512);
    known->several = k->in_loop || !is_one_vector;
    known->formula = gb_formula_of(&k->formulas, block->kernel);
    known->as = known->formula ? GB_BY_FORMULA : GB_BY_KERNEL;
    for (size_t o = 0; o < sizeof others / sizeof *others && !known->formula; o++)
        if (others[o].kernels.of[tape->isa][tape->options.real == GB_FLOAT] == block->kernel) {
            known->name = others[o].name;
            known->as = can_be(k, block, others[o].as) ? others[o].as : known->as;
        }
}

size_t gb_known_row(const gb_knowledge *k, size_t instruction)
{
    const void *const extra = k->code[instruction].extra;
    switch (k->known[instruction].as) {
    case GB_AS_ROW: return ((const gb_strided *)extra)->axis[1].size;
    case GB_AS_SUMS: return ((const gb_reduce_plan *)extra)->reduced;
    default: return 0;
    }
}

/* ---- groups ---- */

/* Returns whether one instruction writes what the other reads or writes, but not vector by vector in step. */
static bool clash(const gb_knowledge *k, size_t writing, size_t other)
{
    const gb_array_key written = k->known[writing].key[0];
    if (k->known[writing].as == GB_AS_SUMS) /* they are stored after the loop */
        return false;
    for (size_t i = 0; i < GB_OPERANDS; i++) {
        const gb_array_key key = k->known[other].key[i];
        const bool repeats = i > 0 && !k->code[other].step[i - 1];
        if (gb_keys_overlap(written, gb_known_bytes(k, writing, 0), key, gb_known_bytes(k, other, i)) &&
            (key != written || repeats))
            return true;
    }
    return false;
}

/* Long formulas keep a processor busy; a sum behind them would lengthen what each result waits for. */
static bool would_wait(const gb_known *of, const gb_known *sum)
{
    return sum->as == GB_AS_SUMS && of->formula && of->formula->is_long;
}

static bool can_be_in_group(const gb_known *known)
{
    return known->several && known->as != GB_BY_KERNEL && known->as != GB_AS_NUMBER;
}

/* All that know of rows know of the same. */
static bool joins_group(const gb_knowledge *k, size_t first, size_t next)
{
    const gb_known *const known = &k->known[next];
    if (!can_be_in_group(known) || next - first >= GROUP_MOST || k->code[next].lines != k->code[first].lines)
        return false;
    const size_t row = gb_known_row(k, next);
    for (size_t i = first; i < next; i++)
        if (clash(k, next, i) || clash(k, i, next) || would_wait(&k->known[i], known) ||
            (row && gb_known_row(k, i) && gb_known_row(k, i) != row))
            return false;
    return true;
}

size_t gb_known_group_end(const gb_knowledge *k, size_t first, size_t end)
{
    size_t next = first + 1;
    while (next < end && k->known[next].group && k->known[next].group == k->known[first].group)
        next++;
    return next;
}

/* A part of straight code ends once it has so many instructions, but not inside a group. */
static void find_groups(gb_knowledge *k, size_t first, size_t count, size_t most)
{
    size_t part = first;
    for (size_t i = first, next; i < first + count; i = next) {
        const bool is_group = can_be_in_group(&k->known[i]);
        next = i + 1;
        while (is_group && next < first + count && joins_group(k, i, next))
            next++;
        k->groups += is_group;
        part = i - part >= most ? i : part;
        for (size_t of = i; of < next; of++) {
            k->known[of].group = is_group ? k->groups : 0;
            k->known[of].part = part;
        }
    }
}

/* ---- what must be stored ---- */

/* Whether it takes what it reads from registers, and not from memory. */
static bool reads_registers(const gb_known *known)
{
    return known->as == GB_BY_FORMULA || known->as == GB_AS_SUMS;
}

/* Returns where the latest writer of an operand is noted; NULL: it is no temporary. */
static gb_known **latest_of(const gb_knowledge *k, size_t i, size_t a)
{
    const gb_array_key start = k->in_loop ? OFFSET_KEY : (uintptr_t)k->plan->scratch.at;
    const bool is_temporary = k->code[i].temporary >> a & 1u;
    return is_temporary ? &k->latest[(k->known[i].key[a] - start) / GB_LINE_BYTES] : NULL;
}

/* A temporary must be stored if it is read by a kernel, in another part, or in another group. Everything
 * else has a home in memory. */
static void find_stored(gb_knowledge *k, size_t first, size_t count)
{
    memset(k->latest, 0, lines_of_temporaries(k) * sizeof *k->latest);
    for (size_t i = first; i < first + count; i++) {
        gb_known *const known = &k->known[i];
        for (size_t a = 1; a < GB_OPERANDS; a++) {
            gb_known **const at = latest_of(k, i, a), *const from = at ? *at : NULL;
            if (from && (!reads_registers(known) || from->part != known->part ||
                         (from->several && from->group != known->group)))
                from->stored = true;
        }
        gb_known **const to = latest_of(k, i, 0);
        known->stored |= !to;
        if (to)
            *to = known;
    }
}

void gb_know_range(gb_knowledge *k, size_t first, size_t count, size_t most)
{
    for (size_t i = first; i < first + count; i++)
        find_how(k, i);
    find_groups(k, first, count, most);
    find_stored(k, first, count);
}
