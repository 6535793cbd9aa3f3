/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula that was read, and all that it learned from the rows of its training. */
#ifndef GREBE_DATA_FORMULA_FORMULA_IMPL_H
#define GREBE_DATA_FORMULA_FORMULA_IMPL_H

#include "data/formula.h"
#include "data/formula/syntax_impl.h"

enum { GB_MOST_ORDER = 8, GB_MOST_TERMS = 20000, GB_NO_VARIABLE = -1 };

/* The levels of a factor. */
typedef struct gb_factor_levels {
    const char *const *level;
    size_t count;
    gb_contrasts contrasts;
    const double *polynomial; /* [count][count − 1], for GB_CONTRASTS_POLY */
    bool has_order;           /* it was given, or the levels are numbers; of a training */
} gb_factor_levels;

/* A part of a formula that has a value in each row: a column, or a function of columns. */
typedef struct gb_formula_variable {
    const char *text; /* as R writes it */
    gb_syntax *expression;
    size_t width; /* numbers in a row; a factor has 1 */
    bool is_factor, is_used;
    gb_factor_levels levels;
} gb_formula_variable;

/* An interaction of variables, in ascending order. `full` has a bit for each of them that is coded by all of
 * its levels, not by contrasts. */
typedef struct gb_term {
    uint32_t variable[GB_MOST_ORDER];
    uint32_t count, full;
    size_t at;        /* its place in the formula */
    const char *text; /* as R writes it: the variables with : between them */
} gb_term;

typedef struct gb_formula {
    gb_formula_text text;
    gb_memory memory;
    gb_arena arena;
    gb_syntax *tree;
    const char *const *dot; /* the columns that "." stands for */
    size_t dots;
    GB_LIST(gb_formula_variable) variables;
    GB_LIST(gb_term) terms;
    GB_LIST(uint32_t) offsets; /* which of the variables */
    bool has_intercept;
    int32_t outcome, failures, trials, weights; /* which of the variables, or GB_NO_VARIABLE */
    size_t columns;
    const char *const *column_name;
    const uint32_t *column_term; /* 0: the intercept; 1 + which of the terms */
} gb_formula;

/* Returns the index of the variable of this text, a new one if there was none; GB_NO_VARIABLE on error. */
int32_t gb_formula_variable_of(gb_formula *formula, gb_syntax *expression);

/* Finds the parts of the left side and the terms of the right one. */
bool gb_formula_outcome(gb_formula *formula, gb_syntax *left);
bool gb_formula_terms(gb_formula *formula, gb_syntax *right);

/* Reads the text, and finds out what is in it. `dot` are the names of all columns of the table; those that
 * occur on the left side are left out, and those of `beside`, [GB_DESIGN_BESIDE] or NULL. */
bool gb_formula_read(gb_formula *formula, const char *text, const char *const *dot, size_t dots,
                     const char *const *beside);

void gb_formula_free(gb_formula *formula);

/* Memory of the formula. Returns NULL, and records an error, if there is no more. */
void *gb_formula_keep(gb_formula *formula, size_t count, size_t each);
bool gb_formula_out_of_memory(const gb_formula *formula);

#endif
