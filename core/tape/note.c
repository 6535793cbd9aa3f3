/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tape/note_impl.h"

#include "core/tape/tape_impl.h"

void gb_tape_note(gb_node node, const void *note)
{
    gb_note *const made = gb_tape_keep(node.tape, sizeof *made);
    if (!made)
        return;
    *made = (gb_note){.before = node.tape->notes, .node = node, .note = note};
    node.tape->notes = made;
}

const gb_note *gb_tape_notes(gb_node node)
{
    return node.tape ? node.tape->notes : NULL;
}
