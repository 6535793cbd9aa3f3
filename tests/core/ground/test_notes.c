/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes change together or not at all. */
#include "support/test.h"

#include "core/ground/notes_impl.h"

static const gb_memory plain;

static gb_note_offer offer(gb_notes *n, const char *name, const char *bytes)
{
    return gb_notes_offer(&plain, n, name, 3, bytes, 1);
}

static char note_of(const gb_notes *n, const char *name)
{
    const gb_note *const note = gb_notes_find(n, name);
    return note ? *(const char *)note->now : 0;
}

TEST(offered_notes_are_taken_or_dropped_together)
{
    gb_notes n = {.recording = 1};
    assert_int_equal(offer(&n, "old", "o"), GB_NOTE_OFFERED);
    gb_notes_take(&plain, &n);
    assert_int_equal(offer(&n, "newer", "n"), GB_NOTE_OFFERED); /* three letters of it */
    assert_int_equal(offer(&n, "old", "o"), GB_NOTE_OFFERED);
    assert_int_equal(note_of(&n, "new"), 0);
    gb_notes_drop(&plain, &n);
    assert_int_equal(note_of(&n, "new"), 0);
    assert_int_equal(note_of(&n, "old"), 'o');
    gb_notes_take(&plain, &n); /* nothing is left of what was dropped */
    assert_int_equal(note_of(&n, "new"), 0);
    assert_int_equal(offer(&n, "new", "n"), GB_NOTE_OFFERED);
    gb_notes_take(&plain, &n);
    assert_int_equal(note_of(&n, "new"), 'n');
    gb_notes_free(&plain, &n);
}

TEST(a_note_changes_in_the_next_recording_only)
{
    gb_notes n = {.recording = 1};
    assert_int_equal(offer(&n, "one", "1"), GB_NOTE_OFFERED);
    gb_notes_take(&plain, &n);
    assert_int_equal(offer(&n, "one", "2"), GB_NOTE_DIFFERS);
    gb_notes_take(&plain, &n);
    assert_int_equal(note_of(&n, "one"), '1');
    n.recording++;
    assert_int_equal(offer(&n, "one", "2"), GB_NOTE_OFFERED);
    gb_notes_drop(&plain, &n);
    assert_int_equal(note_of(&n, "one"), '1');
    assert_int_equal(offer(&n, "one", "2"), GB_NOTE_OFFERED);
    gb_notes_take(&plain, &n);
    assert_int_equal(note_of(&n, "one"), '2');
    gb_notes_free(&plain, &n);
}
