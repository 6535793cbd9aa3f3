/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes: named bytes that outlive a recording. */
#include <string.h>

#include "core/tape/leaf_impl.h"
#include "core/tape/tape_impl.h"
#include "core/tape/within_impl.h"

gb_status gb_tape_note(gb_tape *tape, const char *name, const void *bytes, size_t count)
{
    if (!tape || tape->status != GB_OK || !gb_leaf_name_given(tape, "tape_note", name))
        return gb_error(tape);
    if (!bytes && count > 0)
        return gb_fail(tape, GB_EARGUMENT, "tape_note %s: a pointer to %zu bytes is NULL", name, count);
    if (count > PTRDIFF_MAX / 64)
        return gb_fail(tape, GB_ELIMIT, "tape_note %s: %zu bytes are too many", name, count);
    switch (gb_notes_offer(&tape->memory, &tape->notes, name, strlen(name), bytes, count)) {
    case GB_NOTE_DIFFERS:
        return gb_fail(tape, GB_ENAME,
                       "tape_note %s: there is a note of that name already, with other bytes; choose another "
                       "name (after gb_tape_reset it may change)",
                       name);
    case GB_NOTE_NO_MEMORY:
        return gb_fail(tape, GB_ENOMEM, "tape_note %s: out of memory for %zu bytes", name, count);
    case GB_NOTE_OFFERED: gb_notes_take(&tape->memory, &tape->notes);
    }
    return GB_OK;
}

const void *gb_tape_noted(const gb_tape *tape, const char *name, size_t *count)
{
    const gb_note *const note = tape && name ? gb_notes_find(&tape->notes, name) : NULL;
    if (count)
        *count = note ? note->count : 0;
    return note ? note->now : NULL;
}

size_t gb_tape_notes(const gb_tape *tape, const char **names, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; tape && i < tape->notes.list.count; i++) {
        const gb_note *const note = &tape->notes.list.at[i];
        if (note->now && names && count < most)
            names[count] = note->name;
        count += note->now != NULL;
    }
    return count;
}

gb_notes *gb_tape_own_notes(gb_tape *tape)
{
    return &tape->notes;
}
