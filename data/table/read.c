/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text becomes a table: first numbers, and then the texts of columns that are not numbers. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/stored/stored_impl.h"
#include "data/table/csv_impl.h"
#include "data/table/table_impl.h"

enum { MOST_COLUMNS = 1 << 20 };

typedef struct reading {
    gb_tape *tape;
    const char *name;
    gb_table_read_options options;
    const char *text;
    size_t length;
    gb_csv csv;
    gb_table *table;
    size_t columns;
    size_t room;   /* rows for which there is memory */
    bool *is_text; /* for each column */
    GB_LIST(char) copy;
    bool has_missing_numbers; /* .missing names numbers */
} reading;

/* ---- errors ---- */

static const char *separator_words(char separator)
{
    return separator == ','    ? "commas"
           : separator == ';'  ? "semicolons"
           : separator == '\t' ? "tabs"
           : separator == ' '  ? "white space"
                               : "the given character";
}

static bool fail_at(const reading *r, int64_t line, const char *words)
{
    gb_fail(r->tape, GB_EFILE, "table: %s, line %lld: %s", r->name, (long long)line, words);
    return false;
}

static bool fail_cell(const reading *r, gb_csv_found found, int64_t line)
{
    return fail_at(r, line,
                   found == GB_CSV_UNCLOSED
                       ? "a quote (\") begins here, and none ends it"
                       : "after a cell in quotes there is more than a separator; a quote "
                         "in such a cell is written twice (\"\")");
}

static bool fail_ragged(const reading *r, int64_t line, size_t cells)
{
    gb_fail(r->tape, GB_EFILE,
            "table: %s, line %lld has %s%zu cells, and the first line has %zu (they are separated by %s; "
            ".separator is another)",
            r->name, (long long)line, cells > r->columns ? "more than " : "",
            cells > r->columns ? r->columns : cells, r->columns, separator_words(r->csv.separator));
    return false;
}

static bool out_of_memory(const reading *r)
{
    gb_fail(r->tape, GB_ENOMEM, "table: %s: out of memory", r->name);
    return false;
}

/* ---- the text ---- */

static bool is_text(reading *r)
{
    const unsigned char *const at = (const unsigned char *)r->text;
    if (r->length >= 2 && ((at[0] == 0xFF && at[1] == 0xFE) || (at[0] == 0xFE && at[1] == 0xFF)))
        return fail_at(r, 1, "the text is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8");
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
    return fail_at(r, line, "a zero byte; the file is no text, or is UTF-16 (iconv -f UTF-16 -t UTF-8)");
}

/* Whether the words of options and the separator make sense. */
static bool options_fit(const reading *r)
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

/* ---- cells ---- */

/* Whether a list of words, separated by commas, has this one. */
static bool is_in_list(const char *list, const char *word, size_t length)
{
    for (gb_listed_name next; (next = gb_next_listed(&list)).text;)
        if (next.length == length && length > 0 && memcmp(next.text, word, length) == 0)
            return true;
    return false;
}

/* Whether `.missing` has numbers, such as -9. */
static bool has_numbers(const reading *r)
{
    double number;
    const char *list = r->options.missing;
    for (gb_listed_name next; (next = gb_next_listed(&list)).text;)
        if (gb_table_number(next.text, next.length, r->options.decimal_comma, &number))
            return true;
    return false;
}

static bool is_missing(const reading *r, gb_csv_cell cell)
{
    const char *const words = r->options.missing ? r->options.missing : "NA";
    return cell.length == 0 || (!cell.is_quoted && is_in_list(words, cell.text, cell.length));
}

/* Returns the cell as a text that is valid until the next; NULL if memory runs out. */
static const char *copied(reading *r, gb_csv_cell cell)
{
    r->copy.count = 0;
    if (!GB_LIST_GROW(&r->table->memory, &r->copy, cell.length + 1)) {
        out_of_memory(r);
        return NULL;
    }
    gb_csv_copy(cell, r->copy.at);
    return r->copy.at;
}

bool gb_table_number(const char *text, size_t length, bool decimal_comma, double *value)
{
    enum { LONGEST = 400 };
    char copy[LONGEST + 1];
    if (!decimal_comma)
        return gb_text_number(text, length, value);
    if (length > LONGEST || memchr(text, '.', length))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *const comma = memchr(copy, ',', length);
    if (comma)
        *comma = '.';
    return gb_text_number(copy, length, value);
}

/* ---- the first line ---- */

static bool count_columns(reading *r)
{
    gb_csv csv = r->csv;
    gb_csv_cell cell;
    gb_csv_found found = GB_CSV_CELL;
    while (found == GB_CSV_CELL && r->columns <= MOST_COLUMNS) {
        found = gb_csv_next(&csv, &cell);
        r->columns++;
    }
    if (found != GB_CSV_LAST && found != GB_CSV_CELL)
        return fail_cell(r, found, csv.line);
    if (r->columns > MOST_COLUMNS)
        return fail_at(r, r->csv.line, "more than 1,048,576 columns");
    return true;
}

static bool name_column(reading *r, gb_csv_cell cell, size_t number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%zu", number);
    const bool has_name = !r->options.no_header && cell.length > 0;
    const char *const name = has_name ? copied(r, cell) : digits;
    return name && gb_table_column_new(r->table, name);
}

/* Names of columns, from the first line or by number. A first line of numbers alone is rejected: it would be
 * lost in silence. */
static bool read_header(reading *r)
{
    gb_csv csv = r->csv;
    gb_csv_cell cell = {0};
    bool has_names = r->options.no_header;
    for (size_t i = 0; i < r->columns; i++) {
        double number;
        gb_csv_next(&csv, &cell);
        has_names |=
            cell.is_quoted || !gb_table_number(cell.text, cell.length, r->options.decimal_comma, &number);
        if (!name_column(r, cell, i + 1))
            return false;
    }
    if (!has_names)
        return fail_at(r, r->csv.line,
                       "the first line has only numbers, and no names of columns: .no_header = true if it is "
                       "data; names that are numbers are in quotes");
    if (!r->options.no_header)
        r->csv = csv;
    return true;
}

/* Returns the column of `.like` that has this one's name; NULL if there is none. */
static const gb_table_column *liked(const reading *r, size_t column)
{
    return gb_table_find(r->options.like, r->table->columns.at[column]->seen.name);
}

/* Every name in .texts must be a column. */
static bool mark_texts(reading *r)
{
    gb_column_walk walk = {.table = r->table, .list = r->options.texts};
    for (size_t place; gb_next_column(&walk, &place);)
        r->is_text[place] = true;
    for (size_t i = 0; i < r->columns; i++) {
        const gb_table_column *const like = liked(r, i);
        r->is_text[i] |= like && like->level;
    }
    return gb_error(r->tape) == GB_OK;
}

/* ---- rows ---- */

/* Makes room for one more row. */
static bool make_room(reading *r)
{
    gb_table *const d = r->table;
    if ((uint64_t)d->rows < r->room)
        return true;
    const size_t room = r->room ? 2 * r->room : 64;
    if (room > SIZE_MAX / 16)
        return out_of_memory(r);
    void *const lines = gb_memory_resize(&d->memory, d->line, room * sizeof *d->line);
    if (!lines)
        return out_of_memory(r);
    d->line = lines;
    for (size_t i = 0; i < r->columns; i++) {
        if (r->is_text[i])
            continue;
        void *const cells = gb_memory_resize(&d->memory, d->columns.at[i]->number, room * sizeof(double));
        if (!cells)
            return out_of_memory(r);
        d->columns.at[i]->number = cells;
    }
    r->room = room;
    return true;
}

/* A cell that is no number makes its column one of texts, which are read later. */
static void take_number(reading *r, size_t column, gb_csv_cell cell)
{
    gb_table *const d = r->table;
    gb_own_column *const own = d->columns.at[column];
    double *const to = &own->number[d->rows];
    const bool is_number = gb_table_number(cell.text, cell.length, r->options.decimal_comma, to);
    if (is_number && !r->has_missing_numbers)
        return;
    const bool misses = is_missing(r, cell);
    if (misses)
        *to = (double)NAN;
    if (misses || is_number)
        return;
    r->is_text[column] = true;
    gb_memory_release(&d->memory, own->number);
    own->number = NULL;
}

static bool read_row(reading *r)
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
            return fail_cell(r, found, begins);
        if (!r->is_text[i])
            take_number(r, i, cell);
    }
    if (found != GB_CSV_LAST)
        return fail_ragged(r, line, r->columns + 1);
    r->table->line[r->table->rows++] = line;
    return true;
}

static bool read_numbers(reading *r)
{
    while (gb_csv_row(&r->csv, r->columns == 1))
        if (!make_room(r) || !read_row(r))
            return false;
    if (r->table->rows == 0)
        gb_fail(r->tape, GB_EFILE, "table: %s has names of columns, and no rows", r->name);
    return r->table->rows > 0;
}

/* ---- texts: the same cells once more ---- */

static bool begin_texts(reading *r, gb_levels *levels)
{
    gb_table *const d = r->table;
    for (size_t i = 0; i < r->columns; i++) {
        const gb_table_column *const like = liked(r, i);
        levels[i].table = d;
        if (r->is_text[i] && (!(d->columns.at[i]->level = gb_table_cells(d, d->rows)) ||
                              (like && like->level && !gb_levels_like(&levels[i], like))))
            return false;
    }
    return true;
}

static bool fail_new_level(const reading *r, const gb_levels *l, const gb_own_column *own, int64_t row,
                           const char *text)
{
    enum { SHOWN = 60 };
    char shown[SHOWN + 1];
    const char *const near = gb_nearest_text(text, l->like->level_count, l->like->levels);
    const bool is_whole = gb_text_show(text, strlen(text), SHOWN, shown);
    gb_fail(r->tape, GB_EARGUMENT,
            "table: %s, line %lld, column %s: \"%s%s\" is none of the %zu texts of %s%s%s%s", r->name,
            (long long)r->table->line[row], own->seen.name, shown, is_whole ? "" : "…", l->like->level_count,
            gb_table_name(r->options.like), near ? " (is it " : "", near ? near : "", near ? "?)" : "");
    return false;
}

static bool take_text(reading *r, gb_levels *levels, int64_t row, gb_csv_cell cell, gb_own_column *own)
{
    if (is_missing(r, cell)) {
        own->level[row] = -1;
        return true;
    }
    const char *const text = copied(r, cell);
    own->level[row] = text ? gb_levels_index(levels, text) : -1;
    if (own->level[row] < 0 && gb_error(r->tape) == GB_OK)
        return fail_new_level(r, levels, own, row, text);
    return own->level[row] >= 0;
}

static bool read_texts(reading *r, gb_csv csv, gb_levels *levels)
{
    gb_table *const d = r->table;
    gb_csv_cell cell;
    for (int64_t row = 0; row < d->rows && gb_csv_row(&csv, r->columns == 1); row++)
        for (size_t i = 0; i < r->columns; i++) {
            gb_csv_next(&csv, &cell);
            if (r->is_text[i] && !take_text(r, &levels[i], row, cell, d->columns.at[i]))
                return false;
        }
    return true;
}

static bool end_columns(reading *r, gb_levels *levels)
{
    bool good = true;
    for (size_t i = 0; i < r->columns; i++) {
        gb_own_column *const own = r->table->columns.at[i];
        if (levels && r->is_text[i])
            good = gb_levels_end(&levels[i], own) && good;
        if (good)
            gb_table_column_end(r->table, own);
    }
    return good;
}

static bool read_columns(reading *r, gb_csv rows)
{
    const gb_memory *const memory = &r->table->memory;
    gb_levels *levels = NULL;
    bool good = true;
    if (memchr(r->is_text, true, r->columns)) {
        levels = gb_memory_resize(memory, NULL, r->columns * sizeof *levels);
        if (!levels)
            return out_of_memory(r);
        memset(levels, 0, r->columns * sizeof *levels);
        good = begin_texts(r, levels) && read_texts(r, rows, levels);
    }
    good = end_columns(r, levels) && good;
    gb_memory_release(memory, levels);
    return good;
}

/* ---- all of it ---- */

static bool fill(reading *r)
{
    const gb_table_read_options *const o = &r->options;
    const char separator =
        o->separator ? o->separator : gb_csv_separator(r->text, r->length, o->comment, o->decimal_comma);
    r->csv = gb_csv_of(r->text, r->length, separator, o->comment);
    if (!gb_csv_row(&r->csv, false)) {
        gb_fail(r->tape, GB_EFILE, "table: %s is empty", r->name);
        return false;
    }
    r->is_text = NULL;
    if (!count_columns(r) || !read_header(r))
        return false;
    r->is_text = gb_memory_resize(&r->table->memory, NULL, r->columns);
    if (!r->is_text)
        return out_of_memory(r);
    memset(r->is_text, 0, r->columns);
    const gb_csv rows = r->csv;
    r->has_missing_numbers = has_numbers(r);
    return mark_texts(r) && read_numbers(r) && read_columns(r, rows);
}

static gb_table *make(reading *r)
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
    reading r = {.tape = tape, .name = path};
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
