/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of an analysis as arrays: those of the training, or new ones. */
#ifndef GREBE_READY_ANALYSIS_ROWS_IMPL_H
#define GREBE_READY_ANALYSIS_ROWS_IMPL_H

#include "data/formula.h"
#include "ready/model.h"

/* What rows are made of. */
typedef struct gb_row_source {
    const gb_model_type *type;
    gb_design *design;     /* NULL: arrays */
    const gb_table *table; /* with the rows of the design */
    gb_design *groups;     /* whose outcome is the group; NULL: none */
    const char *error;     /* the column of the table; NULL: none */
    gb_numbers x, y, weight;
    int64_t rows, columns;
    const char *name;        /* of the outcome */
    bool are_new;            /* the outcome may be missing as a whole */
    bool adds_intercept;     /* to arrays: a column of 1 before the others */
    const gb_domain *domain; /* of outcomes, or of columns if the model has no outcome; NULL: any */
} gb_row_source;

/* Arrays on the tape. NULL: there is none. */
typedef struct gb_row_arrays {
    int64_t rows, columns;
    gb_numbers x;
    const double *present, *y, *weight, *trials, *offset, *error;
    const int64_t *group, *missing_row;
    size_t missing;
    bool has_intercept; /* of arrays: column 0 was added */
    gb_rows kept;       /* if rows of a table were left out before others: the numbers of those */
    int64_t table_rows; /* then: of the table, up to the last that was kept */
} gb_row_arrays;

/* Returns how often a row counts. */
static inline double gb_row_weight(const gb_row_arrays *rows, int64_t row)
{
    return rows->weight ? rows->weight[row] : 1;
}

/* Reads them; outcomes are checked against the domain, and classes against `classes` (0: not known yet).
 * Returns false on error. */
bool gb_row_arrays_read(gb_tape *tape, const gb_row_source *source, int64_t classes, gb_row_arrays *rows);

#endif
