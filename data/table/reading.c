/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/table/reading_impl.h"

#include <string.h>

#include "core/ground/text_impl.h"

/* ---- errors ---- */

bool gb_reading_fail(const gb_reading *r, int64_t line, const char *words)
{
    gb_fail(r->tape, GB_EFILE, "table: %s, line %lld: %s", r->name, (long long)line, words);
    return false;
}

bool gb_reading_fail_cell(const gb_reading *r, gb_csv_found found, int64_t line)
{
    return gb_reading_fail(r, line,
                           found == GB_CSV_UNCLOSED
                               ? "a quote (\") begins here, and none ends it"
                               : "after a cell in quotes there is more than a separator; a quote "
                                 "in such a cell is written twice (\"\")");
}

bool gb_reading_out_of_memory(const gb_reading *r)
{
    gb_fail(r->tape, GB_ENOMEM, "table: %s: out of memory", r->name);
    return false;
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
bool gb_reading_misses_numbers(const gb_reading *r)
{
    double number;
    const char *list = r->options.missing;
    for (gb_listed_name next; (next = gb_next_listed(&list)).text;)
        if (gb_table_number(next.text, next.length, r->options.decimal_comma, &number))
            return true;
    return false;
}

/* Whether a cell is one of the numbers in `.missing`, however it is written: -9.0 for -9. */
static bool is_missing_number(const gb_reading *r, gb_csv_cell cell)
{
    const bool comma = r->options.decimal_comma;
    const char *list = r->options.missing;
    double is, missing;
    if (!gb_table_number(cell.text, cell.length, comma, &is))
        return false;
    for (gb_listed_name next; (next = gb_next_listed(&list)).text;)
        if (gb_table_number(next.text, next.length, comma, &missing) && is >= missing && is <= missing)
            return true;
    return false;
}

bool gb_reading_misses(const gb_reading *r, gb_csv_cell cell)
{
    const char *const words = r->options.missing ? r->options.missing : "NA";
    return cell.length == 0 || (!cell.is_quoted && (is_in_list(words, cell.text, cell.length) ||
                                                    (r->has_missing_numbers && is_missing_number(r, cell))));
}

/* Returns the cell as a text that is valid until the next; NULL if memory runs out. */
const char *gb_reading_text(gb_reading *r, gb_csv_cell cell)
{
    r->copy.count = 0;
    if (!GB_LIST_GROW(&r->table->memory, &r->copy, cell.length + 1)) {
        gb_reading_out_of_memory(r);
        return NULL;
    }
    gb_csv_copy(cell, r->copy.at);
    return r->copy.at;
}

bool gb_table_number(const char *text, size_t length, bool decimal_comma, double *value)
{
    enum { LONGEST = 1100 }; /* all digits of any double, written out */
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

/* Returns the column of `.like` that has this one's name; NULL if there is none. */
const gb_table_column *gb_reading_like(const gb_reading *r, size_t column)
{
    return gb_table_find(r->options.like, r->table->columns.at[column]->seen.name);
}
