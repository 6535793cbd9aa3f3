/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first error of a tape, and what the members of a team agree on: their errors are of all of them. */
#include <stdarg.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/tape/tape_impl.h"

const char *gb_status_text(gb_status code)
{
    switch (code) {
#define GB_STATUS_TEXT(code, text)                                                                           \
    case code: return text;
        GB_STATUS_LIST(GB_STATUS_TEXT)
#undef GB_STATUS_TEXT
    }
    return "unknown status";
}

gb_status gb_error(const gb_tape *tape)
{
    return tape ? tape->status : GB_ENOMEM;
}

const char *gb_error_text(const gb_tape *tape)
{
    return tape ? tape->error
                : "there is no tape: memory ran out, or the options struct of gb_tape_new_with has no size";
}

/* Names in the message may contain ends of lines, and what a terminal would obey. A line of the message's own
 * begins with four spaces, which no line of another message does. */
static void put_lines(FILE *file, const char *status, const char *text)
{
    static const char own_line[] = "\n    ";
    char letter[GB_LETTER_TEXT];
    fprintf(file, "grebe: %s: ", status);
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        const bool begins_line = strncmp(text, own_line, sizeof own_line - 1) == 0;
        bytes = begins_line ? 1 : gb_text_letter(text, left, letter);
        fputs(begins_line ? "\n" : letter, file);
    }
    fputc('\n', file);
}

gb_status gb_complain(const gb_tape *tape, FILE *file)
{
    const gb_status status = gb_error(tape);
    if (status != GB_OK && file)
        put_lines(file, gb_status_text(status), gb_error_text(tape));
    return status;
}

void gb_forgive(gb_tape *tape)
{
    if (!tape)
        return;
    tape->status = GB_OK;
    tape->error[0] = '\0';
}

gb_status gb_fail(gb_tape *tape, gb_status code, const char *format, ...)
{
    if (!tape || tape->status != GB_OK)
        return code;
    tape->status = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tape->error, sizeof tape->error, format, arguments);
    va_end(arguments);
    return code;
}

/* ---- members: without a team each is done alone ---- */

static bool is_reached(gb_tape *tape, bool good)
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
    if (!is_reached(tape, gb_mates_broadcast(mates, text, sizeof text, first)))
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
    if (!is_reached(tape, gb_mates_gather(mates, mine)))
        return false;
    int first = 0;
    while (first < mates->team->members && mates->heard[first].status == GB_OK)
        first++;
    if (first == mates->team->members)
        return true;
    mates->has_told = share_error(tape, first);
    return false;
}

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
    return !gb_tape_any(tape, false) &&
           (!tape->mates.team || is_reached(tape, gb_mates_add_up(&tape->mates, numbers, count)));
}

bool gb_tape_tell(gb_tape *tape, void *bytes, size_t count)
{
    return !gb_tape_any(tape, false) &&
           (!tape->mates.team || is_reached(tape, gb_mates_broadcast(&tape->mates, bytes, count, 0)));
}

bool gb_tape_is_first(const gb_tape *tape)
{
    return !tape || !tape->mates.team || tape->mates.team->rank == 0;
}

/* The others may be in a run: they hear the error of this member, or that it has gone. */
void gb_tape_leave(gb_tape *tape)
{
    gb_fail(tape, GB_EPROGRAM, "it has freed its tape");
    gb_tape_agree(tape, (gb_word){0}, NULL);
}

gb_team *gb_tape_team(const gb_tape *tape)
{
    return tape ? tape->mates.team : NULL;
}

gb_team_traffic gb_tape_traffic(const gb_tape *tape)
{
    return tape ? tape->mates.traffic : (gb_team_traffic){0};
}
