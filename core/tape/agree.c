/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the members of a team agree on. On a tape without a team each is done alone. */
#include "core/tape/tape_impl.h"

#include <string.h>

/* ---- agreeing ---- */

bool gb_tape_is_reached(gb_tape *tape, bool good)
{
    const gb_team *const team = tape->mates.team;
    if (!good)
        gb_fail(tape, GB_ESYSTEM, "member %d of the team's %d cannot reach the others: %.180s", team->rank,
                team->members, team->why);
    return good;
}

static bool share_error(gb_tape *tape, int first)
{
    gb_mates *const mates = &tape->mates;
    char text[GB_ERROR_TEXT];
    memcpy(text, tape->error, sizeof text);
    if (!gb_tape_is_reached(tape, gb_mates_broadcast(mates, text, sizeof text, first)))
        return false;
    gb_fail(tape, (gb_status)mates->heard[first].status, "member %d of the team: %.560s", first, text);
    return true;
}

bool gb_tape_agree(gb_tape *tape, gb_word mine, const gb_word **heard)
{
    gb_mates *const mates = &tape->mates;
    if (heard)
        *heard = mates->heard;
    if (tape->status == GB_OK)
        mates->has_told = false;
    if (!mates->team || mates->has_told)
        return tape->status == GB_OK;
    mine.status = tape->status;
    if (!gb_tape_is_reached(tape, gb_mates_gather(mates, mine)))
        return false;
    int first = 0;
    while (first < mates->team->members && mates->heard[first].status == GB_OK)
        first++;
    if (first == mates->team->members)
        return true;
    mates->has_told = share_error(tape, first);
    return false;
}

/* ---- besides runs ---- */

bool gb_tape_any(gb_tape *tape, bool mine)
{
    const gb_word *heard = NULL;
    if (!tape || !gb_tape_agree(tape, (gb_word){.number = {mine}}, &heard))
        return true;
    bool any = mine;
    for (int i = 0; heard && i < tape->mates.team->members; i++)
        any |= heard[i].number[0] != 0;
    return any;
}

bool gb_tape_add_up(gb_tape *tape, double *numbers, size_t count)
{
    if (gb_tape_any(tape, false))
        return false;
    return !tape->mates.team || gb_tape_is_reached(tape, gb_mates_add_up(&tape->mates, numbers, count));
}

bool gb_tape_tell(gb_tape *tape, void *bytes, size_t count)
{
    if (gb_tape_any(tape, false))
        return false;
    return !tape->mates.team || gb_tape_is_reached(tape, gb_mates_broadcast(&tape->mates, bytes, count, 0));
}

bool gb_tape_is_first(const gb_tape *tape)
{
    return !tape || !tape->mates.team || tape->mates.team->rank == 0;
}

/* The others may be in a run: they hear the error of this member, or that it has gone. */
void gb_tape_leave(gb_tape *tape)
{
    if (!tape->mates.team)
        return;
    gb_fail(tape, GB_EPROGRAM, "it has freed its tape");
    gb_tape_agree(tape, (gb_word){0}, NULL);
}

/* ---- what a tape says of its team ---- */

gb_team *gb_tape_team(const gb_tape *tape)
{
    return tape ? tape->mates.team : NULL;
}

gb_team_traffic gb_tape_traffic(const gb_tape *tape)
{
    return tape ? tape->mates.traffic : (gb_team_traffic){0};
}
