/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/kernels/team_impl.h"

#include <string.h>

const char *gb_team_fault(const gb_team *team)
{
    enum { MOST_MEMBERS = 1 << 20 };
    if (team->size < sizeof *team)
        return "has no size; set .size = sizeof(gb_team)";
    if (!team->reduce || !team->gather || !team->broadcast)
        return "lacks one of .reduce, .gather and .broadcast";
    if (team->members < 1 || team->members > MOST_MEMBERS || team->rank < 0 || team->rank >= team->members)
        return "needs a .rank from 0 to .members - 1";
    return NULL;
}

bool gb_mates_join(gb_mates *mates, gb_team *team, const gb_memory *memory)
{
    mates->team = team;
    mates->heard = team ? gb_memory_resize(memory, NULL, (size_t)team->members * sizeof *mates->heard) : NULL;
    return !team || mates->heard;
}

void gb_team_go_without(gb_team *team, int64_t status)
{
    gb_word heard[GB_MOST_HEARD], mine = {.status = status};
    char text[GB_ERROR_TEXT] = "it has no memory for its tape";
    if (!team || team->members > GB_MOST_HEARD || !team->gather(team, &mine, heard, sizeof mine))
        return;
    int first = 0;
    while (first < team->rank && heard[first].status == 0)
        first++;
    team->broadcast(team, text, sizeof text, first);
}

/* Takes note of a call. */
static bool passed(gb_mates *mates, bool good, size_t bytes)
{
    mates->traffic.messages++;
    mates->traffic.bytes += (int64_t)bytes;
    mates->is_broken = !good;
    return good;
}

bool gb_mates_gather(gb_mates *mates, gb_word mine)
{
    gb_team *const team = mates->team;
    return !mates->is_broken &&
           passed(mates, team->gather(team, &mine, mates->heard, sizeof mine), sizeof mine);
}

bool gb_mates_broadcast(gb_mates *mates, void *bytes, size_t count, int from)
{
    gb_team *const team = mates->team;
    return !mates->is_broken &&
           passed(mates, team->broadcast(team, bytes, count, from), team->rank == from ? count : 0);
}

bool gb_mates_add_up(gb_mates *mates, double *numbers, size_t count)
{
    gb_team *const team = mates->team;
    return !mates->is_broken && passed(mates, team->reduce(team, numbers, count, GB_DOUBLE, GB_REDUCE_SUM),
                                       count * sizeof *numbers);
}

/* ---- exchanges ---- */

static size_t width_of(const gb_exchange *x)
{
    return x->real == GB_FLOAT ? sizeof(float) : sizeof(double);
}

static void reduce(const gb_exchange *x, void *numbers, size_t count, gb_reduction by)
{
    gb_mates *const mates = x->mates;
    if (!mates->is_broken)
        passed(mates, mates->team->reduce(mates->team, numbers, count, x->real, by), count * width_of(x));
}

/* Copies the parts of one kind to the message, or from it. A single number fills its line. */
static void carry(const gb_exchange *x, gb_reduction by, bool back)
{
    const size_t width = width_of(x);
    char *at = x->message;
    for (const gb_exchange_part *part = x->part; part < x->part + x->parts; part++) {
        const size_t bytes = part->count * width;
        if (part->by != by || part->count >= GB_TRAVELS_ALONE)
            continue;
        if (!back)
            memcpy(at, part->from, bytes);
        else
            memcpy(part->to, at, bytes);
        for (size_t i = 1; back && part->count == 1 && i < GB_LINE_BYTES / width; i++)
            memcpy((char *)part->to + i * width, at, width);
        at += bytes;
    }
}

void gb_exchange_kernel(const gb_block *block, size_t lines, size_t first)
{
    (void)lines, (void)first;
    const gb_exchange *const x = block->extra;
    for (int by = GB_REDUCE_SUM; by <= GB_REDUCE_MAX; by++) {
        if (x->count[by] == 0)
            continue;
        carry(x, (gb_reduction)by, false);
        reduce(x, x->message, x->count[by], (gb_reduction)by);
        carry(x, (gb_reduction)by, true);
    }
    for (const gb_exchange_part *part = x->part; part < x->part + x->parts; part++) {
        if (part->count < GB_TRAVELS_ALONE)
            continue;
        memcpy(part->to, part->from, part->count * width_of(x));
        reduce(x, part->to, part->count, part->by);
    }
}
