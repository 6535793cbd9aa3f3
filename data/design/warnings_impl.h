/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns that explain nothing, or nothing new, wherever they come from. */
#ifndef GREBE_DATA_DESIGN_WARNINGS_IMPL_H
#define GREBE_DATA_DESIGN_WARNINGS_IMPL_H

#include "core/ground/memory_impl.h"
#include "data/numbers.h"

typedef struct gb_columns {
    gb_numbers x; /* [rows][columns] */
    int64_t rows, columns;
    const char *const *name;
    bool has_intercept; /* column 0 is 1 */
} gb_columns;

/* Returns a line for each column that is constant or a sum of others, as gb_design_warnings has it, in the
 * arena; "" if there is none. NULL if memory runs out. There is at least one row. */
const char *gb_column_warnings(const gb_columns *columns, gb_memory memory, gb_arena *arena);

#endif
