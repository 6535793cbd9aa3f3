/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named bytes. Several change together or not at all: each is offered, then all that were offered are taken
 * or dropped. */
#ifndef GREBE_CORE_GROUND_NOTES_IMPL_H
#define GREBE_CORE_GROUND_NOTES_IMPL_H

#include "core/ground/names_impl.h"

typedef struct gb_note {
    char *name;
    void *now, *next; /* NULL: none; next: what is offered, may be `now` itself */
    size_t count, next_count;
    uint32_t recording; /* the number of the one that has it */
} gb_note;

typedef struct gb_notes {
    GB_LIST(gb_note) list;
    gb_names names;
    uint32_t recording; /* the current one */
} gb_notes;

/* Copies a name of `length` bytes without a 0, and `count` bytes. */
typedef enum gb_note_offer {
    GB_NOTE_OFFERED,
    GB_NOTE_DIFFERS, /* this recording has other bytes under that name */
    GB_NOTE_NO_MEMORY
} gb_note_offer;
gb_note_offer gb_notes_offer(const gb_memory *memory, gb_notes *notes, const char *name, size_t length,
                             const void *bytes, size_t count);
void gb_notes_take(const gb_memory *memory, gb_notes *notes);
void gb_notes_drop(const gb_memory *memory, gb_notes *notes);

/* Returns the note of that name; NULL if there is none. */
const gb_note *gb_notes_find(const gb_notes *notes, const char *name);

void gb_notes_free(const gb_memory *memory, gb_notes *notes);

#endif
