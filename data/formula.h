/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Design matrices, from a formula as R has them:
 *
 *     gb_table *d = gb_table_read(t, "kids.csv");
 *     gb_design *kids = gb_design_new(t, "kid_score ~ mom_hs * mom_iq", d);
 *     gb_node x = gb_input_rows(t, "x", gb_shape(gb_design_columns(kids)));
 *     … GB_COLUMNS({x, gb_design_values(kids)}, {y, gb_design_outcome(kids)})
 *     gb_design *others = gb_design_apply(kids, more);         (the same columns, of rows to be predicted)
 *
 * A design learns the levels of factors from all rows of its table, and the means and standard deviations of
 * scale() and the polynomials of poly() from the rows that count: a row without outcome or of weight 0 does
 * not, and a row of weight 2 counts as two rows (if no row counts, all do, once). It applies them to new
 * rows, and keeps them as a note on the tape, so a
 * checkpoint has them too. A process that only predicts loads them before it records:
 *
 *     gb_checkpoint_load(&c);                                  (with .subset: no variable is needed yet)
 *     gb_design *kids = gb_design_noted(t, "design");
 *
 * The columns are those of model.matrix in R, with the same names. docs/formula.md says what can stand in a
 * formula, and what differs from R.
 *
 * The tape owns a design: it ends when the tape is reset or freed. The table may be freed before. A NULL
 * design means that an earlier call failed: the functions then do nothing, and return NULL, 0 or {0}. */
#ifndef GREBE_DATA_FORMULA_H
#define GREBE_DATA_FORMULA_H

#include "../core/options.h"
#include "../core/tape.h"
#include "numbers.h"
#include "table.h"

GB_BEGIN_DECLS

typedef struct gb_design gb_design;

/* How a factor of n levels becomes n − 1 columns: contr.treatment, contr.sum, contr.helmert and contr.poly of
 * R. Where a term needs all of its levels, each has a column of 0 and 1, whatever the contrasts. */
typedef enum gb_contrasts {
    GB_CONTRASTS_DEFAULT,   /* for a factor: those of the design; for a design: treatment */
    GB_CONTRASTS_TREATMENT, /* each level but the first */
    GB_CONTRASTS_SUM,       /* each level but the last, which is −1 in all columns */
    GB_CONTRASTS_HELMERT,   /* each level but the first, against those before it */
    GB_CONTRASTS_POLY       /* orthonormal polynomials of the number of the level */
} gb_contrasts;

/* A column that is a factor, and how. A column of texts is one in any case. */
typedef struct gb_factor_column {
    const char *column; /* REQUIRED. A column of numbers becomes a factor: its levels are its numbers */
    /* All levels in their order, separated by commas; in quotes ("") if they have commas. Levels that do not
     * occur have columns too; one that is not in the list is an error. NULL: those that occur, sorted. */
    const char *levels;
    const char *base; /* the level that comes first; NULL: the first of the levels */
    gb_contrasts contrasts;
} gb_factor_column;

/* Columns that are read as factors. */
typedef struct gb_factor_column_list {
    const gb_factor_column *factor;
    size_t count;
} gb_factor_column_list;
#define GB_FACTORS(...)                                                                                      \
    ((gb_factor_column_list){.factor = (const gb_factor_column[]){__VA_ARGS__},                              \
                             .count = sizeof((const gb_factor_column[]){__VA_ARGS__}) /                      \
                                      sizeof(gb_factor_column)})
GB_API gb_factor_column_list gb_factors_of(size_t count, const gb_factor_column *factors);

enum { GB_DESIGN_BESIDE = 2 };

typedef struct gb_design_options {
    size_t size;
    const char *name; /* of the note; NULL: "design". Two designs on one tape need two names */
    gb_contrasts contrasts;
    gb_factor_column_list factors;
    bool drop_missing;         /* leave out rows with a missing cell; false: such a cell is an error */
    bool keep_missing_outcome; /* rows whose outcome alone is missing stay, and the outcome is NaN */
    const void *reserved;      /* NULL */
    /* Rows with a missing cell on the right side stay: columns of its terms, or the offset, are NaN there.
     * Levels, means and polynomials are learned from the cells that are there. */
    bool keep_missing;
    /* How often each row of the table counts, if the formula has no weights; {0}: once. It is for what is
     * learned, and is not kept: gb_design_weights returns {0}. */
    gb_numbers weight;
    /* Columns of the table that are used beside the formula, such as groups; NULL: none. "." does not stand
     * for them, and .drop_missing leaves out rows where one of them is missing. */
    const char *beside[GB_DESIGN_BESIDE];
} gb_design_options;

/* Makes a design from the rows of a table. Errors of the formula show the place in it; those of the data
 * name file, line and column. Returns NULL on error. */
#define gb_design_new(...) GB_NEW_3(gb_design, __VA_ARGS__, .size = sizeof(gb_design_options))
GB_API gb_design *gb_design_new_with(gb_tape *tape, const char *formula, const gb_table *table,
                                     const gb_design_options *options);

typedef struct gb_design_apply_options {
    size_t size;
    bool drop_missing, keep_missing_outcome; /* as above; with the latter a missing weight is NaN, too */
    const void *reserved;                    /* NULL */
    bool keep_missing;                       /* as above */
    const char *beside[GB_DESIGN_BESIDE];    /* as above, of the rows; a column that is not there is none */
} gb_design_apply_options;

/* Makes the same columns of other rows, by what `design` learned. The new design has the outcome, trials and
 * weights if the table has all columns for them. A level that `design` did not see is an error. */
#define gb_design_apply(...) GB_CALL_2(gb_design_apply, __VA_ARGS__, .size = sizeof(gb_design_apply_options))
GB_API gb_design *gb_design_apply_with(const gb_design *design, const gb_table *table,
                                       const gb_design_apply_options *options);

/* Returns the design, without rows, that gb_design_new has noted under this name, on this tape or on the one
 * of which a checkpoint was loaded. Fails if there is none, or if the bytes are not those of a design. */
GB_API gb_design *gb_design_noted(gb_tape *tape, const char *name);

/* ---- the columns ---- */

/* The number of columns; 0 for NULL. */
GB_API int64_t gb_design_columns(const gb_design *design);

/* Returns the name of a column, such as "(Intercept)", "mom_iq" or "mom_hs:mom_iq"; and of the term that it
 * belongs to, for priors that all columns of a term share. NULL for other numbers. */
GB_API const char *gb_design_column_name(const gb_design *design, int64_t column);
GB_API const char *gb_design_column_term(const gb_design *design, int64_t column);

/* Returns whether column 0 is the intercept. */
GB_API bool gb_design_has_intercept(const gb_design *design);

/* Returns the tape that the design was made on, and that has its errors. */
GB_API gb_tape *gb_design_tape(const gb_design *design);

/* Returns the formula as it was given. */
GB_API const char *gb_design_formula(const gb_design *design);

/* ---- the rows ---- */

/* The number of rows; 0 for NULL. */
GB_API int64_t gb_design_rows(const gb_design *design);

/* Returns the rows of the table that the design has: all, unless rows were dropped. */
GB_API gb_rows gb_design_rows_kept(const gb_design *design);

/* The matrix, doubles [rows][columns]. */
GB_API gb_numbers gb_design_values(const gb_design *design);

/* The left side of the formula: doubles [rows]. A factor gives the index of the level, a pair of cbind the
 * successes. gb_design_outcome fails if the formula has none, or if the table of gb_design_apply lacks its
 * columns. The others are {0} if the formula has none; then they do not fail. */
GB_API gb_numbers gb_design_outcome(const gb_design *design);
GB_API gb_numbers gb_design_trials(const gb_design *design);  /* of trials(n), or of cbind */
GB_API gb_numbers gb_design_weights(const gb_design *design); /* of weights(w) */
GB_API gb_numbers gb_design_offset(const gb_design *design);  /* the sum of all offset(e) */

/* Returns the left side without trials and weights: the name of a column, without backticks, or a calculation
 * as R writes it, "log(y)"; "" if there is none. */
GB_API const char *gb_design_outcome_name(const gb_design *design);

/* Returns the levels of an outcome that is a factor, and stores how many there are in `count`, which may be
 * NULL. NULL for other outcomes. */
GB_API const char *const *gb_design_outcome_levels(const gb_design *design, size_t *count);

/* Returns whether the levels of an outcome are in an order of their own: .levels gave it, or they are
 * numbers. Else they are sorted as texts. For designs of gb_design_new. */
GB_API bool gb_design_outcome_has_order(const gb_design *design);

/* ---- looking at it ---- */

/* Returns what looks like a mistake, one line for each: factors whose levels are numbers but for a few (a
 * stray text makes a column of numbers one), or numbers with decimal commas or other signs, columns that are
 * 0 or another constant in all rows that count, and columns that are sums of multiples of columns before
 * them. A column counts as such a sum if less than 1e-7 of it is left, as in R's lm. Sums are looked for
 * among up to 4,096 columns, by rows · columns² operations. With .keep_missing numbers that are missing do
 * not count, and if there are some, sums are not looked for. "" if there is nothing to say, as of a design
 * that was applied to other rows, which may be one; NULL on error. */
GB_API const char *gb_design_warnings(gb_design *design);

/* Prints the formula, the rows, the columns with their terms, the levels of factors, and the warnings. */
GB_API gb_status gb_design_print(gb_design *design, FILE *file);

GB_END_DECLS
#endif
