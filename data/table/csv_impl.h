/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of a text, one after another. */
#ifndef GREBE_DATA_TABLE_CSV_IMPL_H
#define GREBE_DATA_TABLE_CSV_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gb_csv {
    const char *at, *end; /* no zero byte before `end`, and one there */
    const char *blank;    /* from here on there is only white space */
    char separator;       /* ' ': any white space */
    char comment;         /* 0: none */
    int64_t line;         /* of `at` */
} gb_csv;

/* Begins with a text that ends with a zero byte. */
gb_csv gb_csv_of(const char *text, size_t length, char separator, char comment);

/* A cell, without quotes and spaces around it. Quotes in a quoted one are still doubled. */
typedef struct gb_csv_cell {
    const char *text;
    size_t length;
    bool is_quoted;
} gb_csv_cell;

typedef enum gb_csv_found {
    GB_CSV_CELL,        /* and more in this row */
    GB_CSV_LAST,        /* the last one of the row */
    GB_CSV_UNCLOSED,    /* a quote has no end */
    GB_CSV_AFTER_QUOTES /* there is more between the quotes and the separator */
} gb_csv_found;

/* Goes to the next row that is not empty and no comment. If `keep_empty`, only empty lines at the end are
 * skipped. Returns false at the end. */
bool gb_csv_row(gb_csv *csv, bool keep_empty);

/* Reads a cell of a row that gb_csv_row has begun. */
gb_csv_found gb_csv_next(gb_csv *csv, gb_csv_cell *cell);

/* Returns what separates the cells, as far as the first lines tell; 0 if tabs and white space would give
 * other cells. A decimal comma is none. */
char gb_csv_separator(const char *text, size_t length, char comment, bool decimal_comma);

/* Copies a cell with a zero byte after it, with single quotes for doubled ones. `to` has room for
 * cell.length + 1 bytes. */
void gb_csv_copy(gb_csv_cell cell, char *to);

#endif
