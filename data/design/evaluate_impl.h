/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of variables in the rows of a table. */
#ifndef GREBE_DATA_DESIGN_EVALUATE_IMPL_H
#define GREBE_DATA_DESIGN_EVALUATE_IMPL_H

#include "data/formula/formula_impl.h"

typedef struct gb_evaluation {
    gb_formula *formula;
    const gb_table *table;
    const int64_t *row; /* which rows of the table */
    size_t rows;
    bool has_all_rows;    /* of the table, in its order */
    bool learns;          /* from these rows; false: uses what was learned */
    const double *counts; /* how often each row of the table counts, if it learns; NULL: once */
    gb_arena *scratch;    /* for the values */
} gb_evaluation;

/* Returns the name of the column that is nearest to a name; NULL: none is near, or memory ran out. */
const char *gb_nearest_column(const gb_formula *formula, const gb_table *table, const char *name);

/* Returns the column of a name in the formula. NULL, and an error with the nearest name, if there is none. */
const gb_table_column *gb_column_for(const gb_formula *formula, const gb_table *table, const gb_syntax *name);

/* Returns the numbers of a variable, [rows][width]; NULL on error. No number is missing or infinite. */
const double *gb_evaluate(const gb_evaluation *e, gb_formula_variable *variable);

/* Returns the index of the level of a factor in each row; NULL on error. If it learns, it makes the levels
 * first, as `asked` says; NULL: those that occur. */
const uint32_t *gb_evaluate_levels(const gb_evaluation *e, gb_formula_variable *variable,
                                   const gb_factor_column *asked);

/* Memory for the values. Returns NULL, and records an error, if there is no more. */
void *gb_evaluation_take(const gb_evaluation *e, size_t count, size_t each);

#endif
