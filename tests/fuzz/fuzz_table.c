/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a table: they are read, or rejected in words. What is read is written, and read again as the
 * same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/table.h"
#include "fuzz.h"

static void need(bool holds, const char *what, const gb_tape *t)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_table: %s; %s\n", what, gb_error_text(t));
    abort();
}

static bool same_cells(const gb_table_column *a, const gb_table_column *b, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if (a->number ? !(a->number[i] == b->number[i] || (isnan(a->number[i]) && isnan(b->number[i])))
                      : a->level[i] != b->level[i])
            return false;
    for (size_t i = 0; i < a->level_count; i++)
        if (strcmp(a->levels[i], b->levels[i]) != 0 || (i > 0 && strcmp(a->levels[i - 1], a->levels[i]) >= 0))
            return false;
    return a->level_count == b->level_count && a->missing == b->missing;
}

/* Names and numbers of columns, and those of texts; lines rise. */
static bool is_same(const gb_table *a, const gb_table *b)
{
    const int64_t rows = gb_table_rows(a);
    if (rows < 1 || rows != gb_table_rows(b) || gb_table_columns(a) != gb_table_columns(b))
        return false;
    for (size_t i = 0; i < gb_table_columns(a); i++) {
        const gb_table_column *const x = gb_table_column_at(a, i), *const y = gb_table_column_at(b, i);
        if (strcmp(x->name, y->name) != 0 || !x->number != !y->number || !same_cells(x, y, rows) ||
            gb_table_find(a, x->name) != x)
            return false;
    }
    for (int64_t i = 1; i < rows; i++)
        if (gb_table_line(a, i) <= gb_table_line(a, i - 1))
            return false;
    return true;
}

/* Texts that are all numbers need a word that none of them is. */
static void read_again(gb_tape *t, const gb_table *d)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);
    need(file && gb_table_csv(d, file) == GB_OK && fclose(file) == 0, "not written", t);
    gb_table *const again =
        gb_table_read(t, "again", .text = text, .bytes = length, .separator = ',', .like = d);
    need(again && is_same(d, again), "not the same again", t);
    gb_table_free(again);
    free(text);
}

static void use(gb_tape *t, gb_table *d)
{
    size_t dropped;
    char place[GB_TABLE_PLACE];
    gb_table_place(d, 0, place);
    gb_table_numbers(d, "*");
    gb_forgive(t);
    gb_table *const some = gb_table_complete(d, "*", &dropped);
    gb_forgive(t);
    for (size_t i = 0; i < gb_table_columns(some); i++) {
        gb_table_doubles(some, gb_table_column_at(some, i)->name);
        gb_forgive(t);
        gb_table_one_hot(some, gb_table_column_at(some, i)->name);
        gb_forgive(t);
    }
    gb_table_free(some);
}

/* The first byte chooses options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const char separators[] = {0, ',', ';', '\t', ' ', '|', 0, 0};
    if (length < 2)
        return 0;
    gb_tape *const t = gb_tape_new(.threads = 1);
    char *const bytes =
        malloc(length - 1); /* of its own length, so that a sanitizer sees what is read beyond */
    need(t && bytes, "out of memory", t);
    memcpy(bytes, data + 1, length - 1);
    gb_table *const d =
        gb_table_read(t, "fuzz", .text = bytes, .bytes = length - 1, .separator = separators[data[0] & 7],
                      .no_header = data[0] & 8, .comment = data[0] & 16 ? '#' : 0,
                      .decimal_comma = data[0] & 32, .missing = data[0] & 64 ? "NA,?,-9" : NULL);
    need(!d == (gb_error(t) != GB_OK) && (d || *gb_error_text(t)), "rejected without a reason", t);
    need(d || gb_error(t) != GB_ENOMEM, "out of memory", t);
    gb_forgive(t);
    if (d) {
        read_again(t, d);
        use(t, d);
    }
    gb_table_free(d);
    free(bytes);
    gb_tape_free(t);
    return 0;
}
