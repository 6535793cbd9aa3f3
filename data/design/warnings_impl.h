/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What looks like a mistake in the columns of a matrix, whoever made it. */
#ifndef GREBE_DATA_DESIGN_WARNINGS_IMPL_H
#define GREBE_DATA_DESIGN_WARNINGS_IMPL_H

#include "core/ground/memory_impl.h"
#include "data/numbers.h"

typedef struct gb_matrix_columns {
    size_t rows, columns;
    gb_numbers values;    /* [rows][columns] */
    const double *counts; /* how often each row counts; NULL: once */
    const char *const *name;
    bool has_intercept; /* column 0 */
    bool is_too_much;   /* sums of columns are not looked for */
} gb_matrix_columns;

/* Returns the lines about columns of gb_design_warnings, of the rows that count; "" if none does. NULL if
 * memory runs out. */
const char *gb_column_warnings(gb_arena *arena, const gb_matrix_columns *of);

#endif
