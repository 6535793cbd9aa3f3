/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table has. */
#ifndef GREBE_DATA_TABLE_TABLE_IMPL_H
#define GREBE_DATA_TABLE_TABLE_IMPL_H

#include "core/ground/memory_impl.h"
#include "core/ground/names_impl.h"
#include "data/table.h"
#include "data/table/names_impl.h"

typedef struct gb_own_column {
    gb_table_column seen;
    double *number; /* as in `seen`: one of both is there */
    int64_t *level;
} gb_own_column;

struct gb_table {
    gb_tape *tape;
    gb_memory memory;
    gb_arena arena; /* names, texts and columns */
    const char *name;
    int64_t rows;
    int64_t *line; /* NULL: there is no file */
    bool decimal_comma;
    gb_names names;
    GB_LIST(gb_own_column *) columns;
};

/* Adds a column that has no cells yet. Returns NULL on error, as for a name that is there already. */
gb_own_column *gb_table_column_new(gb_table *table, const char *name);

/* Memory for a number of 8 bytes in each of `rows` rows. Returns NULL, and records an error, if memory runs
 * out. */
void *gb_table_cells(gb_table *table, int64_t rows);

/* Counts the missing cells of a column, once all are there, and shows it. */
void gb_table_column_end(const gb_table *table, gb_own_column *column);

/* Records that memory ran out; returns false. */
bool gb_table_out_of_memory(const gb_table *table);

/* Reads a finite number. `text[length]` must not continue it. */
bool gb_table_number(const char *text, size_t length, bool decimal_comma, double *value);

/* A walk over columns: of a list of names, or all for "*". gb_next_column stores the place of the next one;
 * false at the end, and on error: a name that is no column's. */
typedef struct gb_column_walk {
    const gb_table *table;
    const char *list;
    size_t next; /* of all */
} gb_column_walk;
bool gb_next_column(gb_column_walk *walk, size_t *place);

/* ---- texts become levels ---- */

typedef struct gb_levels {
    gb_table *table;
    gb_names names;
    GB_LIST(const char *) texts; /* in the order in which they came */
    const gb_table_column *like; /* has all of them, and gives their order; NULL: new ones may come */
} gb_levels;

/* Makes the levels of a column the first ones, and the only ones. Returns false if memory runs out. */
bool gb_levels_like(gb_levels *levels, const gb_table_column *like);

/* Returns the index of a text; −1, and records an error, if memory runs out. With `like`, −1 without an error
 * for a new text. */
int64_t gb_levels_index(gb_levels *levels, const char *text);

/* Sorts the levels, and gives them to a column whose `level` has indices. Releases what they need besides.
 * Returns false on error. */
bool gb_levels_end(gb_levels *levels, gb_own_column *column);

#endif
