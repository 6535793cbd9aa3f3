/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes: named bytes of a tape, which remain when it is reset. */
#include "support/close.h"

#include "support/counted_memory.h"
#include "support/misuse.h"

static void assert_note(const gb_tape *t, const char *name, const void *bytes, size_t count)
{
    size_t found = 99;
    const void *const noted = gb_tape_noted(t, name, &found);
    assert_non_null(noted);
    assert_int_equal(found, count);
    assert_memory_equal(noted, bytes, count);
}

TEST(a_note_has_the_bytes_that_it_was_given)
{
    char bytes[] = "a\0b";
    size_t count = 99;
    assert_int_equal(gb_tape_note(t, "n", bytes, 4), GB_OK);
    bytes[0] = 'x';
    assert_note(t, "n", "a\0b", 4);
    assert_int_equal(gb_tape_note(t, "none", NULL, 0), GB_OK);
    assert_note(t, "none", "", 0);
    assert_null(gb_tape_noted(t, "other", &count));
    assert_int_equal(count, 0);
    assert_null(gb_tape_noted(t, NULL, NULL));
    assert_fine(t);
}

TEST(notes_remain_when_the_tape_is_reset)
{
    const char *names[3] = {0};
    gb_tape_note(t, "second", "22", 2);
    gb_tape_note(t, "first", "1", 1);
    gb_tape_reset(t);
    assert_note(t, "first", "1", 1);
    assert_int_equal(gb_tape_notes(t, names, 1), 2);
    assert_string_equal(names[0], "second");
    assert_null(names[1]);
    gb_tape_notes(t, names, 3);
    assert_string_equal(names[1], "first");
    assert_int_equal(gb_tape_notes(NULL, NULL, 0), 0);
}

TEST(a_recording_does_not_change_its_notes)
{
    gb_tape_note(t, "n", "old", 3);
    const void *const place = gb_tape_noted(t, "n", NULL);
    assert_int_equal(gb_tape_note(t, "n", "old", 3), GB_OK);
    assert_ptr_equal(gb_tape_noted(t, "n", NULL), place);
    const char *const others[] = {"new", "oldest", "ol", ""};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gb_tape_note(t, "n", others[i], strlen(others[i])), GB_ENAME);
        assert_rejected(t, GB_ENAME, "tape_note n: there is a note of that name already, with other bytes");
        assert_note(t, "n", "old", 3);
    }
    gb_tape_reset(t);
    assert_int_equal(gb_tape_note(t, "n", "newer", 5), GB_OK);
    assert_note(t, "n", "newer", 5);
    assert_int_equal(gb_tape_note(t, "n", "old", 3), GB_ENAME);
    assert_int_equal(gb_tape_notes(t, NULL, 0), 1);
}

MISUSE_BY(without_a_name, GB_ENAME, "tape_note: a name is required")
{
    assert_int_equal(gb_tape_note(w->t, NULL, "x", 1), GB_ENAME);
}

MISUSE_BY(with_an_empty_name, GB_ENAME, "tape_note: a name is required")
{
    assert_int_equal(gb_tape_note(w->t, "", "x", 1), GB_ENAME);
}

MISUSE_BY(without_bytes, GB_EARGUMENT, "tape_note n: a pointer to 3 bytes is NULL")
{
    assert_int_equal(gb_tape_note(w->t, "n", NULL, 3), GB_EARGUMENT);
}

MISUSE_BY(too_long, GB_ELIMIT, "tape_note n: 9223372036854775807 bytes are too many")
{
    assert_int_equal(gb_tape_note(w->t, "n", "x", PTRDIFF_MAX), GB_ELIMIT);
}

TEST(no_tape_has_notes)
{
    assert_int_equal(gb_tape_note(NULL, "n", "x", 1), GB_ENOMEM);
    assert_null(gb_tape_noted(NULL, "n", NULL));
}

static gb_status notes(gb_tape *t, const void *what)
{
    char name[8];
    (void)what;
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "n%d", i);
        gb_tape_note(t, name, name, (size_t)i % 8);
    }
    gb_tape_reset(t);
    gb_tape_note(t, "n3", "other", 5);
    return gb_error(t);
}

/* The error of the first part is gone after the reset. */
static gb_status notes_once(gb_tape *t, const void *what)
{
    (void)what;
    for (int i = 0; i < 20; i++) {
        const char name[2] = {(char)('a' + i)};
        gb_tape_note(t, name, "bytes", 5);
    }
    return gb_error(t);
}

TEST(lack_of_memory_loses_no_block)
{
    counted_memory memory = {0};
    gb_tape *const counting = gb_tape_new(.memory = counted(&memory), .threads = 1);
    notes(counting, NULL);
    assert_note(counting, "n3", "other", 5);
    gb_tape_free(counting);
    assert_int_equal(memory.outstanding, 0);
    assert_outlives_lack_of_memory(notes_once, NULL, "notes", 0,
                                   (gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1});
}
