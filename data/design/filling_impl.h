/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A design while it is filled: which rows of the table, what stands left of ~, the values of variables. */
#ifndef GREBE_DATA_DESIGN_FILLING_IMPL_H
#define GREBE_DATA_DESIGN_FILLING_IMPL_H

#include "data/design/evaluate_impl.h"

/* A formula, and rows. */
struct gb_design {
    gb_tape *tape;
    gb_memory memory;
    gb_arena arena;      /* of the rows */
    gb_formula *formula; /* shared by all designs that apply it */
    bool owns_formula;
    int64_t rows, table_rows;
    const int64_t *row; /* of the table */
    const double *values, *outcome, *trials, *weights, *offset;
    const double *counts; /* how often each row counts, of a design that learns; NULL: once */
    const char *lacking;  /* the column for which there is no outcome; NULL: none */
    const char *table;
    const char *warnings; /* NULL: not looked for yet */
};

/* What the rows are made of, and what is asked of them. */
typedef struct gb_row_source {
    const gb_table *table;
    const char *beside[GB_DESIGN_BESIDE];
    bool learns, drop_missing, keep_missing_outcome, keep_missing;
    gb_contrasts contrasts; /* the rest if it learns */
    gb_factor_column_list factors;
    gb_numbers weight; /* of all rows of the table; {0}: none */
} gb_row_source;

static const uint32_t GB_NO_LEVEL = UINT32_MAX;

/* What a variable is in each row: one of both. NaN or GB_NO_LEVEL where it is missing. */
typedef struct gb_row_values {
    const double *number; /* [rows][width] */
    const uint32_t *level;
} gb_row_values;

typedef struct gb_filling {
    gb_design *d;
    gb_formula *f;
    const gb_row_source *source;
    gb_arena scratch;
    gb_evaluation all, with_outcome; /* the rows, and those of them whose outcome is there */
    const size_t *outcome_place;     /* of the latter among the former */
} gb_filling;

/* Chooses the rows, by what is missing. */
bool gb_fill_rows(gb_filling *g);

/* Whether a variable is used, and the table has what it needs. What stands left of ~ may be lacking in rows
 * to be predicted. */
bool gb_is_wanted(const gb_filling *g, int32_t variable);

/* Finds the rows where a variable has values, and their places among all; NULL: it has some in all of them.
 * Fails if a cell is missing that must not be, or if a variable that is learned has none. */
bool gb_rows_with(gb_filling *g, int32_t variable, gb_evaluation *there, const size_t **place);

/* Evaluates a variable in all rows: where its columns have values, if they may be missing. */
bool gb_fill_partial(gb_filling *g, int32_t variable, gb_row_values *values);

/* Evaluates a variable in the rows of `e`. */
bool gb_fill_variable(const gb_filling *g, const gb_evaluation *e, int32_t variable, gb_row_values *values);

/* Finds out whether a variable is a factor, and by which contrasts. */
void gb_decide_kind(const gb_filling *g, gb_formula_variable *variable);

/* Returns the numbers of a variable that is no factor, in memory of the design. NULL on error. */
double *gb_fill_numbers(gb_filling *g, int32_t variable);

/* Fill the weights, before what is learned by them; the outcome and trials. */
bool gb_fill_weights(gb_filling *g);
bool gb_fill_left(gb_filling *g);

#endif
