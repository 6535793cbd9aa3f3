/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints keep the notes of a tape with its variables, bit for bit. */
#include "support/close.h"

#include "models/checkpoint/format_impl.h"
#include "models/checkpoint/load_impl.h"
#include "models/checkpoint/save_impl.h"
#include "models/scratch.h"
#include "models/small.h"
#include "support/counted_memory.h"

static void assert_note(const gb_tape *t, const char *name, const void *bytes, size_t count)
{
    size_t found = 99;
    const void *const noted = gb_tape_noted(t, name, &found);
    assert_non_null(noted);
    assert_int_equal(found, count);
    assert_memory_equal(noted, bytes, count);
}

static gb_checkpoint all_of(gb_tape *t, const char *path)
{
    return (gb_checkpoint){.size = sizeof(gb_checkpoint), .tape = t, .path = path};
}

static void rejects(gb_tape *t, const gb_checkpoint *c, const char *words)
{
    assert_fine(t);
    assert_int_equal(gb_checkpoint_load(c), GB_EFILE);
    assert_rejected(t, GB_EFILE, words);
}

TEST(notes_come_back_with_the_variables)
{
    const scratch dir = scratch_new();
    gb_tape *const other = test_tape();
    gb_variable(t, "v", gb_shape(), gb_fill(3));
    gb_tape_note(t, "levels", "\xff\0\x01", 3);
    gb_tape_note(t, "empty", NULL, 0);
    gb_checkpoint c = all_of(t, dir.path);
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    const gb_node v = gb_variable(other, "v", gb_shape(), gb_fill(0));
    c.tape = other;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_values(v, 3);
    assert_note(other, "levels", "\xff\0\x01", 3);
    assert_note(other, "empty", "", 0);
    assert_int_equal(gb_tape_notes(other, NULL, 0), 2);
    scratch_end(&dir);
}

/* What a process does that only predicts. */
TEST(a_tape_without_variables_gets_the_notes_before_it_records)
{
    const scratch dir = scratch_new();
    gb_tape *const other = test_tape();
    gb_variable(t, "w", gb_shape(2), GB_VALUES(4, 5));
    gb_variable(t, "w.adam", gb_shape(2), gb_fill(1));
    gb_tape_note(t, "columns", "2", 1);
    gb_checkpoint c = all_of(t, dir.path);
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    c.tape = other;
    c.subset = true;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    const int64_t columns = *(const char *)gb_tape_noted(other, "columns", NULL) - '0';
    const gb_node w = gb_variable(other, "w", gb_shape(columns), gb_fill(0));
    assert_int_equal(gb_tape_note(other, "columns", "2", 1), GB_OK);
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_values(w, 4, 5);
    scratch_end(&dir);
}

TEST(a_file_with_other_notes_is_rejected_by_name)
{
    const scratch dir = scratch_new();
    const gb_node v = gb_variable(t, "v", gb_shape(), gb_fill(3));
    gb_tape_note(t, "first", "1", 1);
    gb_tape_note(t, "scale\a", "2", 1);
    const gb_checkpoint c = all_of(t, dir.path);
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    gb_tape_reset(t);
    gb_variable(t, "v", gb_shape(), gb_fill(0));
    gb_set(gb_variable_named(t, "v"), gb_fill(7));
    gb_tape_note(t, "scale\a", "3", 1);
    rejects(t, &c, "its note scale\\x07 differs from that of the tape");
    assert_note(t, "scale\a", "3", 1);
    assert_values(gb_variable_named(t, "v"), 7);
    gb_tape_reset(t); /* nothing of the new recording has used it yet */
    gb_variable(t, "v", gb_shape(), gb_fill(0));
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_note(t, "scale\a", "2", 1);
    (void)v;
    scratch_end(&dir);
}

TEST(a_note_that_the_file_lacks_remains)
{
    const scratch dir = scratch_new();
    const gb_checkpoint c = all_of(t, dir.path);
    gb_variable(t, "v", gb_shape(), gb_fill(3));
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    gb_tape_note(t, "n", "new", 3);
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_note(t, "n", "new", 3);
    scratch_end(&dir);
}

static bool reject_it(void *user)
{
    (void)user;
    return false;
}

TEST(a_file_that_is_not_accepted_leaves_the_notes)
{
    const scratch dir = scratch_new();
    gb_tape *const other = test_tape();
    gb_tape_note(t, "n", "1", 1);
    gb_checkpoint c = all_of(t, dir.path);
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    c.tape = other;
    c.accept = reject_it;
    rejects(other, &c, "it was rejected by .accept");
    assert_int_equal(gb_tape_notes(other, NULL, 0), 0);
    c.accept = NULL;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_note(other, "n", "1", 1);
    scratch_end(&dir);
}

/* Releases before there were notes read version 1. */
TEST(only_a_file_with_notes_is_of_version_2)
{
    size_t length[2];
    unsigned char *bytes[2];
    const gb_checkpoint c = all_of(t, "x");
    for (int i = 0; i < 2; i++) {
        bytes[i] = gb_checkpoint_bytes(&c, &length[i]);
        assert_int_equal(bytes[i][8], i + 1);
        gb_tape_note(t, "n", "1", 1);
    }
    assert_int_equal(length[1] - length[0], 4 + 4 + 4 + 8 + 1 + 1);
    free(bytes[0]);
    free(bytes[1]);
}

/* ---- files that are no longer whole ---- */

/* Where things are in the file of a small training that has the note "note" of four bytes. */
enum { NOTES = 48, VARIABLE = 68, NOTE = 142, WHOLE = 142 + 4 + 4 + 8 + 4 + 4 + 8 };

static const struct hostile {
    const char *name;
    size_t at;
    uint64_t number;
    size_t bytes;
    const char *words;
} hostile[] = {
    {"noted-version-1", 8, 1, 4, "it is damaged"},
    {"notes-none", NOTES, 0, 4, "24 bytes are left over"},
    {"notes-two", NOTES, 2, 4, "its note 2 of 2 does not fit"},
    {"notes-many", NOTES, UINT32_MAX, 4, "its note 2 of 4294967295 does not fit"},
    {"note-without-name", NOTE, 0, 4, "its note 1 of 1 does not fit"},
    {"note-of-rank-0", NOTE + 4, 0, 4, "it is damaged"},
    {"note-short", NOTE + 8, 3, 8, "1 bytes are left over"},
    {"note-long", NOTE + 8, 5, 8, "its note 1 of 1 does not fit"},
    {"note-negative", NOTE + 8, UINT64_MAX, 8, "its note 1 of 1 does not fit"},
    {"note-of-0", NOTE + 16, 0, 1, "its note 1 of 1 does not fit"},
};

static void write_to_corpus(const char *name, const unsigned char *bytes)
{
    char path[512];
    const char *const corpus = getenv("GB_WRITE_CORPUS"); /* a folder, for tests/fuzz */
    if (!corpus)
        return;
    snprintf(path, sizeof path, "%s/%s", corpus, name);
    file_put(path, bytes, WHOLE);
}

TEST(hostile_notes_are_rejected_in_words)
{
    size_t length;
    small s, other;
    small_begin(&s, test_tape(.seed = 9), "x");
    small_begin(&other, test_tape(.seed = 9), "x");
    gb_tape_note(s.t, "note", "\x01\x02\x03\x04", 4);
    unsigned char *const bytes = gb_checkpoint_bytes(&s.c, &length), copy[WHOLE];
    assert_int_equal(length, WHOLE);
    write_to_corpus("noted", bytes);
    const small_state now = small_now(&other);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const struct hostile *const h = &hostile[i];
        memcpy(copy, bytes, length);
        for (size_t j = 0; j < h->bytes; j++)
            copy[h->at + j] = (unsigned char)(h->number >> 8 * j);
        gb_saved_seal(copy, length);
        write_to_corpus(h->name, copy);
        assert_int_equal(gb_checkpoint_take(&other.c, copy, length), GB_EFILE);
        assert_rejected(other.t, GB_EFILE, h->words);
        assert_true(small_is(&other, &now));
    }
    assert_int_equal(gb_checkpoint_take(&other.c, bytes, length), GB_OK);
    assert_note(other.t, "note", "\x01\x02\x03\x04", 4);
    free(bytes);
}

/* A matrix has as many bytes as a vector of them. */
TEST(a_note_is_a_vector_of_bytes)
{
    unsigned char bytes[128];
    const gb_checkpoint c = all_of(t, "x");
    const gb_saved_entry entry = {
        .name = "n", .length = 1, .shape = gb_shape(2, 2), .data = "abcd", .bytes = 4};
    gb_saving w = {.to = bytes};
    gb_saving_head(&w, &(gb_saved){.notes = 1}, 0);
    gb_saving_entry(&w, &entry, 1);
    gb_saving_tail(&w);
    gb_saved_seal(bytes, w.used);
    gb_checkpoint_take(&c, bytes, w.used);
    assert_rejected(t, GB_EFILE, "its note n is no vector");
}

/* This file was written by the first version that has notes, and is never to be written again. */
TEST(the_second_version_can_still_be_read)
{
    small s;
    small_begin(&s, test_tape(.seed = 9), GB_TESTS "/fuzz/corpus/checkpoint/noted");
    gb_set(s.b, gb_fill(7));
    assert_int_equal(gb_checkpoint_load(&s.c), GB_OK);
    assert_values(s.a, 1.5, -2);
    assert_values(s.b, 0.25);
    assert_note(s.t, "note", "\x01\x02\x03\x04", 4);
}

static gb_status saved_and_loaded(gb_tape *t, const void *path)
{
    char name[2] = "a";
    gb_checkpoint c = all_of(t, path);
    if (!t)
        return GB_ENOMEM;
    for (; *name < 'd'; ++*name)
        gb_tape_note(t, name, "bytes", 5);
    gb_checkpoint_save(&c);
    gb_tape_reset(gb_error(t) == GB_OK ? t : NULL);
    gb_checkpoint_load(&c);
    return gb_error(t);
}

TEST(lack_of_memory_loses_no_block)
{
    const scratch dir = scratch_new();
    assert_outlives_lack_of_memory(saved_and_loaded, dir.path, "notes", 0,
                                   (gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1});
    scratch_end(&dir);
}
