/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/notes_impl.h"

#include <string.h>

/* Returns the place of that name, a new and empty one if there was none. NULL if memory runs out. */
static gb_note *place_for(const gb_memory *memory, gb_notes *notes, const char *name, size_t length)
{
    uint32_t index;
    char *const own = gb_memory_resize(memory, NULL, length + 1);
    if (!own)
        return NULL;
    memcpy(own, name, length);
    own[length] = '\0';
    const bool is_known = gb_names_find(&notes->names, own, &index);
    if (!is_known && GB_LIST_GROW(memory, &notes->list, 1) &&
        gb_names_add(memory, &notes->names, own, (uint32_t)notes->list.count)) {
        notes->list.at[notes->list.count] = (gb_note){.name = own};
        return &notes->list.at[notes->list.count++];
    }
    gb_memory_release(memory, own);
    return is_known ? &notes->list.at[index] : NULL;
}

gb_note_offer gb_notes_offer(const gb_memory *memory, gb_notes *notes, const char *name, size_t length,
                             const void *bytes, size_t count)
{
    gb_note *const note = place_for(memory, notes, name, length);
    if (!note)
        return GB_NOTE_NO_MEMORY;
    const bool is_same =
        note->now && note->count == count && (count == 0 || memcmp(note->now, bytes, count) == 0);
    if (note->now && note->recording == notes->recording && !is_same)
        return GB_NOTE_DIFFERS;
    note->next = is_same ? note->now : gb_memory_resize(memory, NULL, count + 1);
    if (!note->next)
        return GB_NOTE_NO_MEMORY;
    if (!is_same && count > 0)
        memcpy(note->next, bytes, count);
    note->next_count = count;
    return GB_NOTE_OFFERED;
}

void gb_notes_take(const gb_memory *memory, gb_notes *notes)
{
    for (size_t i = 0; i < notes->list.count; i++) {
        gb_note *const note = &notes->list.at[i];
        if (!note->next)
            continue;
        if (note->next != note->now)
            gb_memory_release(memory, note->now);
        note->now = note->next;
        note->count = note->next_count;
        note->next = NULL;
        note->recording = notes->recording;
    }
}

void gb_notes_drop(const gb_memory *memory, gb_notes *notes)
{
    for (size_t i = 0; i < notes->list.count; i++) {
        gb_note *const note = &notes->list.at[i];
        if (note->next != note->now)
            gb_memory_release(memory, note->next);
        note->next = NULL;
    }
}

const gb_note *gb_notes_find(const gb_notes *notes, const char *name)
{
    uint32_t index;
    const bool is_known = gb_names_find(&notes->names, name, &index);
    return is_known && notes->list.at[index].now ? &notes->list.at[index] : NULL;
}

void gb_notes_free(const gb_memory *memory, gb_notes *notes)
{
    for (size_t i = 0; i < notes->list.count; i++) {
        gb_memory_release(memory, notes->list.at[i].name);
        gb_memory_release(memory, notes->list.at[i].now);
    }
    gb_memory_release(memory, notes->list.at);
    gb_memory_release(memory, notes->names.at);
}
