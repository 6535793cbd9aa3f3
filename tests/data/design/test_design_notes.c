/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a design has learned is a note on the tape: checkpoints keep it, and bytes of something else are
 * rejected. */
#include "support/close.h"

#include <stdlib.h>

#include "data/formula.h"
#include "models/checkpoint.h"
#include "models/scratch.h"
#include "ops/array.h"
#include "ops/matmul.h"

static const char *const kids =
    "score,hs,iq,group\n65,yes,121.1,b\n98,yes,89.4,a\n85,yes,115.4,c\n83,no,99.4,a\n"
    "115,yes,92.7,b\n98,no,107.9,c\n69,no,138.9,a\n106,yes,125.1,b\n";

static const char *const formula = "score ~ hs * scale(iq) + poly(iq, 3) + group";

/* Predictions of the model on a tape, for two other rows. */
static void predict(gb_tape *t, const gb_design *kids_design, double predicted[2])
{
    gb_table *const d = gb_table_of_text(t, "new", "group,iq,hs\nc,100,no\na,130.5,yes\n");
    const gb_design *const x = gb_design_apply(kids_design, d);
    assert_fine(t);
    const int64_t columns = gb_design_columns(x);
    const gb_node beta = gb_variable_named(t, "beta"),
                  rows = gb_constant(t, gb_shape(2, columns),
                                     gb_values_of(gb_design_values(x).at, 2 * (size_t)columns));
    assert_int_equal(gb_read(gb_matmul(rows, gb_reshape(beta, gb_shape(columns, 1))), predicted, 2), GB_OK);
    gb_table_free(d);
}

TEST(a_process_that_only_predicts_gives_the_same_bits)
{
    const scratch dir = scratch_new();
    double should[2], is[2];
    gb_table *const d = gb_table_of_text(t, "kids", kids);
    const gb_design *const x = gb_design_new(t, formula, d, .name = "kids");
    const gb_node beta = gb_variable(t, "beta", gb_shape(gb_design_columns(x)), gb_fill(0.7));
    gb_variable(t, "beta.adam", gb_shape(3), gb_fill(1));
    gb_table_free(d);
    predict(t, x, should);
    gb_checkpoint c = {.size = sizeof c, .tape = t, .path = dir.path};
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);

    gb_tape *const other = test_tape();
    c.tape = other;
    c.subset = true;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK); /* the notes: the model needs the number of columns */
    const gb_design *const noted = gb_design_noted(other, "kids");
    const gb_node beta2 = gb_variable(other, "beta", gb_shape(gb_design_columns(noted)), gb_fill(0));
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    predict(other, noted, is);
    assert_memory_equal(is, should, sizeof is);
    assert_string_equal(gb_design_formula(noted), formula);
    assert_string_equal(gb_design_outcome_name(noted), "score");
    assert_int_equal(gb_design_rows(noted), 0);
    assert_true(gb_node_ok(beta) && gb_node_ok(beta2));
    scratch_end(&dir);
}

TEST(a_model_of_other_rows_does_not_fit_the_checkpoint)
{
    const scratch dir = scratch_new();
    gb_table *const d = gb_table_of_text(t, "kids", kids), *const some = gb_table_take(
                                                               d, gb_rows_of(5, (int64_t[]){0, 1, 2, 3, 4}));
    const gb_checkpoint c = {.size = sizeof c, .tape = t, .path = dir.path};
    assert_non_null(gb_design_new(t, "score ~ scale(iq)", d));
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    gb_tape_reset(t);
    assert_non_null(gb_design_new(t, "score ~ scale(iq)", some)); /* as many columns, another scale */
    assert_int_equal(gb_checkpoint_load(&c), GB_EFILE);
    assert_rejected(t, GB_EFILE, "its note design differs from that of the tape");
    gb_tape_reset(t);
    assert_non_null(gb_design_new(t, "score ~ scale(iq)", d));
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    gb_table_free(d);
    gb_table_free(some);
    scratch_end(&dir);
}

/* ---- bytes ---- */

/* A note as the first version writes it; it is never to be written again. */
static const char *const first_version = GB_TESTS "/fuzz/corpus/design_note/whole";

static size_t read_file(const char *path, unsigned char *bytes, size_t most)
{
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, most, file);
    fclose(file);
    return count;
}

static const char *const small = "y,x,f\n1,2,a\n2,4,b\n3,5,a\n";
static const char *const small_formula = "y ~ poly(x, 1) + f";

/* Where things are in the note of it. */
enum {
    VERSION = 8,
    FORMULA = 12,
    DOTS = FORMULA + 4 + 18,
    FACTORS = DOTS + 4 + 2 * (4 + 1),
    NAME = FACTORS + 4,
    CONTRASTS = NAME + 4 + 1,
    LEVELS = CONTRASTS + 4,
    LEARNED = LEVELS + 4 + 2 * (4 + 1),
    WHOLE = LEARNED + 5 * 8
};

static const struct hostile {
    const char *name;
    size_t at;
    uint64_t number;
    size_t bytes;
    const char *words;
} hostile[] = {
    {"magic", 0, 'g', 1, "the note n is no design"},
    {"version-2", VERSION, 2, 4, "the note n is of version 2, and this grebe reads version 1"},
    {"formula-long", FORMULA, UINT32_MAX, 4, "is damaged: it is cut short"},
    {"formula-with-0", FORMULA + 6, 0, 1, "is damaged: a text has a byte 0"},
    {"formula-wrong", FORMULA + 6, '(', 1, "formula: "},
    {"formula-unknown", FORMULA + 4 + 4, 'q', 1, "formula: there is no function qoly"},
    {"formula-of-degree-2", FORMULA + 4 + 12, '2', 1, "is damaged"},
    {"dots-many", DOTS, UINT32_MAX, 4, "is damaged: it is cut short"},
    {"factors-none", FACTORS, 0, 4, "is damaged"},
    {"factors-many", FACTORS, UINT32_MAX, 4, "is damaged"},
    {"factor-of-another", NAME + 4, 'g', 1, "it has levels of a factor that is not in its formula"},
    {"factor-y", NAME + 4, 'z', 1, "it has levels of a factor that is not in its formula"},
    {"contrasts-0", CONTRASTS, 0, 4, "a factor has unknown contrasts, or no levels"},
    {"contrasts-5", CONTRASTS, 5, 4, "a factor has unknown contrasts, or no levels"},
    {"levels-none", LEVELS, 0, 4, "a factor has unknown contrasts, or no levels"},
    {"levels-one", LEVELS, 1, 4, "is damaged"},
    {"levels-many", LEVELS, 1 << 20, 4, "is damaged: it is cut short"},
    {"levels-twice", LEVELS + 4 + 5 + 4, 'a', 1, "the level \"a\" of f stands twice"},
    {"centre-nan", LEARNED, UINT64_MAX, 8, "a mean, a deviation or a polynomial is impossible"},
    {"range-0", LEARNED + 8, 0, 8, "a mean, a deviation or a polynomial is impossible"},
    {"root-negative", LEARNED + 16 + 7, 0xbf, 1, "a mean, a deviation or a polynomial is impossible"},
    {"norm-0", LEARNED + 32, 0, 8, "a mean, a deviation or a polynomial is impossible"},
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
    size_t count;
    unsigned char bytes[WHOLE], copy[WHOLE];
    gb_table *const d = gb_table_of_text(t, "small", small);
    assert_non_null(gb_design_new(t, small_formula, d));
    memcpy(bytes, gb_tape_noted(t, "design", &count), sizeof bytes);
    assert_int_equal(count, WHOLE);
    write_to_corpus("whole", bytes);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const struct hostile *const h = &hostile[i];
        memcpy(copy, bytes, sizeof copy);
        for (size_t j = 0; j < h->bytes; j++)
            copy[h->at + j] = (unsigned char)(h->number >> 8 * j);
        write_to_corpus(h->name, copy);
        gb_tape_reset(t);
        gb_tape_note(t, "n", copy, sizeof copy);
        assert_null(gb_design_noted(t, "n"));
        assert_rejected(t, gb_error(t), h->words);
    }
    for (size_t length = 0; length < WHOLE; length++) {
        gb_tape_reset(t);
        gb_tape_note(t, "n", bytes, length);
        assert_null(gb_design_noted(t, "n"));
        assert_int_equal(gb_error(t), GB_EFILE);
    }
    gb_tape_reset(t);
    memcpy(copy, bytes, sizeof copy);
    gb_tape_note(t, "n", copy, sizeof copy);
    assert_non_null(gb_design_noted(t, "n"));
    gb_table_free(d);
}

TEST(bytes_behind_a_note_are_rejected)
{
    size_t count;
    unsigned char bytes[WHOLE + 1] = {0};
    gb_table *const d = gb_table_of_text(t, "small", small);
    gb_design_new(t, small_formula, d);
    memcpy(bytes, gb_tape_noted(t, "design", &count), WHOLE);
    gb_tape_note(t, "n", bytes, sizeof bytes);
    assert_null(gb_design_noted(t, "n"));
    assert_rejected(t, GB_EFILE, "design: the note n is damaged: bytes are left over");
    gb_table_free(d);
}

TEST(the_first_version_can_still_be_read)
{
    unsigned char bytes[WHOLE + 1];
    const size_t count = read_file(first_version, bytes, sizeof bytes);
    gb_table *const d = gb_table_of_text(t, "small", small);
    assert_int_equal(gb_tape_note(t, "old", bytes, count), GB_OK);
    const gb_design *const old = gb_design_apply(gb_design_noted(t, "old"), d), *const new = gb_design_new(
                                                                                    t, small_formula, d);
    assert_fine(t);
    assert_memory_equal(gb_design_values(old).at, gb_design_values(new).at, 9 * sizeof(double));
    assert_string_equal(gb_design_column_name(old, 2), "fb");
    gb_table_free(d);
}
