/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text while it becomes a table. */
#ifndef GREBE_DATA_TABLE_READING_IMPL_H
#define GREBE_DATA_TABLE_READING_IMPL_H

#include "data/table/csv_impl.h"
#include "data/table/table_impl.h"

typedef struct gb_reading {
    gb_tape *tape;
    const char *name;
    gb_table_read_options options;
    const char *text;
    size_t length;
    gb_csv csv;
    gb_table *table;
    size_t columns;
    size_t room;              /* rows for which there is memory */
    bool *is_text;            /* for each column */
    GB_LIST(char) copy;       /* of a cell */
    bool has_missing_numbers; /* .missing names numbers, such as -9 */
} gb_reading;

/* Record an error, and return false. */
bool gb_reading_fail(const gb_reading *reading, int64_t line, const char *words);
bool gb_reading_fail_cell(const gb_reading *reading, gb_csv_found found, int64_t line);
bool gb_reading_out_of_memory(const gb_reading *reading);

/* Whether a cell is missing; whether `.missing` has numbers. */
bool gb_reading_misses(const gb_reading *reading, gb_csv_cell cell);
bool gb_reading_misses_numbers(const gb_reading *reading);

/* Returns a cell as a text that is valid until the next; NULL if memory runs out. */
const char *gb_reading_text(gb_reading *reading, gb_csv_cell cell);

/* Returns the column of `.like` that has the name of this one; NULL if there is none. */
const gb_table_column *gb_reading_like(const gb_reading *reading, size_t column);

#endif
