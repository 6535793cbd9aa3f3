/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula as a tree. */
#ifndef GREBE_DATA_FORMULA_SYNTAX_IMPL_H
#define GREBE_DATA_FORMULA_SYNTAX_IMPL_H

#include "data/formula/text_impl.h"

typedef enum gb_syntax_kind {
    GB_SYNTAX_NUMBER,
    GB_SYNTAX_FLAG, /* TRUE or FALSE */
    GB_SYNTAX_NAME, /* a column, or "." */
    GB_SYNTAX_CALL,
    GB_SYNTAX_OPERATOR, /* of one argument or of two */
    GB_SYNTAX_GROUP     /* parentheses */
} gb_syntax_kind;

typedef enum gb_operator {
    GB_OPERATOR_POWER,
    GB_OPERATOR_COLON,
    GB_OPERATOR_MODULO,
    GB_OPERATOR_QUOTIENT,
    GB_OPERATOR_TIMES,
    GB_OPERATOR_OVER,
    GB_OPERATOR_PLUS,
    GB_OPERATOR_MINUS,
    GB_OPERATOR_LESS_EQUAL, /* those of two letters before those of one */
    GB_OPERATOR_GREATER_EQUAL,
    GB_OPERATOR_EQUAL,
    GB_OPERATOR_UNEQUAL,
    GB_OPERATOR_LESS,
    GB_OPERATOR_GREATER,
    GB_OPERATOR_NOT,
    GB_OPERATOR_AND,
    GB_OPERATOR_BAR,
    GB_OPERATOR_TILDE,
    GB_OPERATOR_NONE
} gb_operator;

typedef struct gb_syntax {
    gb_syntax_kind kind;
    gb_operator op;
    double number;
    const char *text;               /* of a name or a call */
    const char *label;              /* as an argument of a call: NAME = …; NULL: it has none */
    struct gb_syntax *first, *next; /* the first argument; the next one of the same operator or call */
    size_t at, label_at;            /* places in the formula: of an operator, that of the sign */
    unsigned depth, arguments;
    double *learned; /* of scale and poly: what was computed from the training rows */
    size_t learned_count;
} gb_syntax;

/* Reads a formula into a tree. Returns NULL on error, which shows the place. */
gb_syntax *gb_formula_parse(const gb_formula_text *formula, gb_arena *arena);

/* Writes a part as R would: one form for all ways to write it. */
void gb_syntax_write(const gb_syntax *part, gb_packing *text);

/* Returns a column's name as a formula has it: in backticks, if it is unusual. A longer one is cut. */
enum { GB_WRITTEN_NAME = 96 };
const char *gb_written_name(const char *name, char text[GB_WRITTEN_NAME]);

/* Returns the part behind parentheses. */
gb_syntax *gb_syntax_inside(gb_syntax *part);

bool gb_syntax_is(const gb_syntax *part, gb_operator which);
bool gb_syntax_calls(const gb_syntax *part, const char *function);

#endif
