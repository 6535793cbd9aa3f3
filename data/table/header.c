/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first line: how many columns there are, and their names. */
#include "data/table/header_impl.h"

enum { MOST_COLUMNS = 1 << 20 };

static bool count_columns(gb_reading *r)
{
    gb_csv csv = r->csv;
    gb_csv_cell cell;
    gb_csv_found found = GB_CSV_CELL;
    while (found == GB_CSV_CELL && r->columns <= MOST_COLUMNS) {
        found = gb_csv_next(&csv, &cell);
        r->columns++;
    }
    if (found != GB_CSV_LAST && found != GB_CSV_CELL)
        return gb_reading_fail_cell(r, found, csv.line);
    if (r->columns > MOST_COLUMNS)
        return gb_reading_fail(r, r->csv.line, "more than 1,048,576 columns");
    return true;
}

static bool name_column(gb_reading *r, gb_csv_cell cell, size_t number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%zu", number);
    const bool has_name = !r->options.no_header && cell.length > 0;
    const char *const name = has_name ? gb_reading_text(r, cell) : digits;
    return name && gb_table_column_new(r->table, name);
}

/* Names of columns, from the first line or by number. A first line of numbers alone is rejected: it would be
 * lost in silence. */
bool gb_reading_header(gb_reading *r)
{
    if (!count_columns(r))
        return false;
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
        return gb_reading_fail(
            r, r->csv.line,
            "the first line has only numbers, and no names of columns: .no_header = true if it is "
            "data; names that are numbers are in quotes");
    if (!r->options.no_header)
        r->csv = csv;
    return true;
}
