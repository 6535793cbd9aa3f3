/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes about nodes, for code that records more from what is recorded. They are no part of the graph. */
#ifndef GREBE_CORE_TAPE_NOTE_IMPL_H
#define GREBE_CORE_TAPE_NOTE_IMPL_H

#include "core/tape.h"

typedef struct gb_note {
    const struct gb_note *before;
    gb_node node;
    const void *note; /* memory of the tape (gb_tape_keep) */
} gb_note;

void gb_tape_note(gb_node node, const void *note);

/* Returns the latest note of the node's tape; NULL: none. */
const gb_note *gb_tape_notes(gb_node node);

#endif
