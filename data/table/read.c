/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text becomes a table: first numbers, and then the texts of columns that are not numbers. */
#include <math.h>
#include <string.h>

#include "data/stored/stored_impl.h"
#include "data/table/header_impl.h"
#include "data/table/texts_impl.h"

/* ---- the text ---- */

static bool is_text(gb_reading *r)
{
    const unsigned char *const at = (const unsigned char *)r->text;
    if (r->length >= 2 && ((at[0] == 0xFF && at[1] == 0xFE) || (at[0] == 0xFE && at[1] == 0xFF)))
        return gb_reading_fail(r, 1, "the text is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8");
    if (r->length >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
        r->text += 3;
        r->length -= 3;
    }
    const char *const zero = memchr(r->text, '\0', r->length);
    if (!zero)
        return true;
    int64_t line = 1;
    for (const char *c = r->text; c < zero; c++)
        line += *c == '\n';
    return gb_reading_fail(r, line,
                           "a zero byte; the file is no text, or is UTF-16 (iconv -f UTF-16 -t UTF-8)");
}

/* Whether the words of options and the separator make sense. */
static bool options_fit(const gb_reading *r)
{
    const gb_table_read_options *const o = &r->options;
    const char separator = o->separator;
    if (separator && strchr("+-.\"\n\r", separator))
        gb_fail(r->tape, GB_EARGUMENT,
                "table: %s: .separator cannot be part of a number, a quote or an end of a line", r->name);
    else if ((separator >= '0' && separator <= '9') || separator == 'e' || separator == 'E')
        gb_fail(r->tape, GB_EARGUMENT, "table: %s: .separator %c is part of numbers", r->name, separator);
    else if (separator == ',' && o->decimal_comma)
        gb_fail(r->tape, GB_EARGUMENT, "table: %s: .separator is a comma, and .decimal_comma too", r->name);
    return gb_error(r->tape) == GB_OK;
}

/* ---- rows ---- */

static const char *separator_words(char separator)
{
    return separator == ','    ? "commas"
           : separator == ';'  ? "semicolons"
           : separator == '\t' ? "tabs"
           : separator == ' '  ? "white space"
                               : "the given character";
}

static bool fail_ragged(const gb_reading *r, int64_t line, size_t cells)
{
    const bool is_more = cells > r->columns, is_name = is_more && r->table->rows == 0;
    const size_t shown = is_more ? r->columns : cells;
    gb_fail(
        r->tape, GB_EFILE,
        "table: %s, line %lld has %s%zu cell%s, and the first line has %zu (separated by %s; .separator sets "
        "another)%s",
        r->name, (long long)line, is_more ? "more than " : "", shown, shown == 1 ? "" : "s", r->columns,
        separator_words(r->csv.separator),
        is_name ? "; if the first column has names of rows, it needs a name too" : "");
    return false;
}

/* Makes room for one more row. */
static bool make_room(gb_reading *r)
{
    gb_table *const d = r->table;
    if ((uint64_t)d->rows < r->room)
        return true;
    const size_t room = r->room ? 2 * r->room : 4; /* there may be a million columns */
    if (room > SIZE_MAX / 16)
        return gb_reading_out_of_memory(r);
    void *const lines = gb_memory_resize(&d->memory, d->line, room * sizeof *d->line);
    if (!lines)
        return gb_reading_out_of_memory(r);
    d->line = lines;
    for (size_t i = 0; i < r->columns; i++) {
        if (r->is_text[i])
            continue;
        void *const cells = gb_memory_resize(&d->memory, d->columns.at[i]->number, room * sizeof(double));
        if (!cells)
            return gb_reading_out_of_memory(r);
        d->columns.at[i]->number = cells;
    }
    r->room = room;
    return true;
}

/* A cell that is no number makes its column one of texts, which are read later. */
static void take_number(gb_reading *r, size_t column, gb_csv_cell cell)
{
    gb_table *const d = r->table;
    gb_own_column *const own = d->columns.at[column];
    double *const to = &own->number[d->rows];
    const bool is_number = gb_table_number(cell.text, cell.length, r->options.decimal_comma, to);
    if (is_number && !r->has_missing_numbers)
        return;
    const bool misses = gb_reading_misses(r, cell);
    if (misses)
        *to = (double)NAN;
    if (misses || is_number)
        return;
    r->is_text[column] = true;
    gb_memory_release(&d->memory, own->number);
    own->number = NULL;
}

static bool read_row(gb_reading *r)
{
    gb_csv_cell cell;
    gb_csv_found found = GB_CSV_CELL;
    const int64_t line = r->csv.line;
    for (size_t i = 0; i < r->columns; i++) {
        if (found == GB_CSV_LAST)
            return fail_ragged(r, line, i);
        const int64_t begins = r->csv.line;
        found = gb_csv_next(&r->csv, &cell);
        if (found > GB_CSV_LAST)
            return gb_reading_fail_cell(r, found, begins);
        if (!r->is_text[i])
            take_number(r, i, cell);
    }
    if (found != GB_CSV_LAST)
        return fail_ragged(r, line, r->columns + 1);
    r->table->line[r->table->rows++] = line;
    return true;
}

static bool read_numbers(gb_reading *r)
{
    while (gb_csv_row(&r->csv, r->columns == 1))
        if (!make_room(r) || !read_row(r))
            return false;
    if (r->table->rows == 0)
        gb_fail(r->tape, GB_EFILE, "table: %s has names of columns, and no rows", r->name);
    return r->table->rows > 0;
}

/* ---- all of it ---- */

/* Every name in .texts must be a column. */
static bool mark_texts(gb_reading *r)
{
    gb_column_walk walk = {.table = r->table, .list = r->options.texts};
    for (size_t place; gb_next_column(&walk, &place);)
        r->is_text[place] = true;
    for (size_t i = 0; i < r->columns; i++) {
        const gb_table_column *const like = gb_reading_like(r, i);
        r->is_text[i] |= like && like->level;
    }
    return gb_error(r->tape) == GB_OK;
}

static bool fill(gb_reading *r)
{
    const gb_table_read_options *const o = &r->options;
    const char separator =
        o->separator ? o->separator : gb_csv_separator(r->text, r->length, o->comment, o->decimal_comma);
    if (!separator) {
        gb_fail(r->tape, GB_EFILE,
                "table: %s: tabs separate other cells than any white space does (an empty cell, or one with "
                "spaces): .separator = '\\t' or ' ' says which",
                r->name);
        return false;
    }
    r->csv = gb_csv_of(r->text, r->length, separator, o->comment);
    const bool is_blank = gb_csv_of(r->text, r->length, ' ', o->comment).blank == r->text;
    if (is_blank || !gb_csv_row(&r->csv, false)) {
        gb_fail(r->tape, GB_EFILE, "table: %s is empty", r->name);
        return false;
    }
    r->is_text = NULL;
    if (!gb_reading_header(r))
        return false;
    r->is_text = gb_memory_resize(&r->table->memory, NULL, r->columns);
    if (!r->is_text)
        return gb_reading_out_of_memory(r);
    memset(r->is_text, 0, r->columns);
    const gb_csv rows = r->csv;
    r->has_missing_numbers = gb_reading_misses_numbers(r);
    return mark_texts(r) && read_numbers(r) && gb_reading_columns(r, rows);
}

static gb_table *make(gb_reading *r)
{
    if (!is_text(r))
        return NULL;
    r->table = gb_table_new(r->tape, r->name, 0);
    if (!r->table)
        return NULL;
    r->table->decimal_comma = r->options.decimal_comma;
    const bool good = fill(r);
    gb_memory_release(&r->table->memory, r->is_text);
    gb_memory_release(&r->table->memory, r->copy.at);
    if (good)
        return r->table;
    gb_table_free(r->table);
    return NULL;
}

gb_table *gb_table_read_with(gb_tape *tape, const char *path, const gb_table_read_options *options)
{
    gb_reading r = {.tape = tape, .name = path};
    if (!tape || gb_error(tape) != GB_OK ||
        !gb_options_take(tape, "table", &r.options, sizeof r.options, options))
        return NULL;
    if (!path) {
        gb_fail(tape, GB_EARGUMENT, "table: the path is NULL");
        return NULL;
    }
    if (!options_fit(&r))
        return NULL;
    const char *const text = r.options.text;
    gb_stored source = {.tape = tape, .what = "table", .name = path};
    const size_t bytes = text && r.options.bytes == 0 ? strlen(text) : r.options.bytes;
    const bool is_open = text ? gb_stored_open_bytes(&source, text, bytes) : gb_stored_open(&source);
    char *const all = is_open ? gb_stored_read_all(&source, &r.length) : NULL;
    const gb_memory memory = source.memory;
    gb_stored_close(&source);
    r.text = all;
    gb_table *const table = all ? make(&r) : NULL;
    gb_memory_release(&memory, all);
    return table;
}

gb_table *gb_table_of_text(gb_tape *tape, const char *name, const char *text)
{
    if (tape && gb_error(tape) == GB_OK && !text)
        gb_fail(tape, GB_EARGUMENT, "table: the text of %s is NULL", name ? name : "a table");
    return text ? gb_table_read(tape, name, .text = text) : NULL;
}
