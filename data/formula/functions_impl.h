/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that may stand in a formula. */
#ifndef GREBE_DATA_FORMULA_FUNCTIONS_IMPL_H
#define GREBE_DATA_FORMULA_FUNCTIONS_IMPL_H

#include "data/formula/syntax_impl.h"

typedef enum gb_function_kind {
    GB_FUNCTION_OF_NUMBER, /* of one number: `of` */
    GB_FUNCTION_LOG,       /* log(x), and log(x, base) */
    GB_FUNCTION_SAME,      /* I(x) */
    GB_FUNCTION_SCALE,     /* learns a mean and a standard deviation */
    GB_FUNCTION_POLY,      /* learns polynomials. Only a whole variable can be one, as with the next */
    GB_FUNCTION_FACTOR,
    GB_FUNCTION_PLACE /* offset and others, which have places of their own in a formula */
} gb_function_kind;

typedef struct gb_function {
    const char *name;
    gb_function_kind kind;
    double (*of)(double x);
} gb_function;

/* Returns NULL if there is none. */
const gb_function *gb_function_find(const char *name);

/* Checks names, arguments and places of functions in a part that is to be a variable. */
bool gb_expression_check(const gb_formula_text *formula, gb_syntax *part);

/* How many numbers it has in a row. */
size_t gb_expression_width(const gb_syntax *part);

/* Whether its values are TRUE and FALSE. */
bool gb_expression_is_logical(const gb_syntax *part);

/* Returns the column behind factor(column) or as.factor(column), or the part itself if it is a column; else
 * NULL. */
gb_syntax *gb_expression_column(gb_syntax *part);
bool gb_expression_makes_factor(const gb_syntax *part);

/* The arguments of a call that was checked. */
typedef struct gb_poly_call {
    gb_syntax *x;
    size_t degree;
    bool raw;
} gb_poly_call;
gb_poly_call gb_poly_call_of(const gb_syntax *call);

typedef struct gb_log_call {
    gb_syntax *x, *base; /* NULL: e */
} gb_log_call;
gb_log_call gb_log_call_of(const gb_syntax *call);

typedef struct gb_scale_call {
    gb_syntax *x;
    bool centre, scale;
} gb_scale_call;
gb_scale_call gb_scale_call_of(const gb_syntax *call);

#endif
