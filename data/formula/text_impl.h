/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a formula, and errors that show a place in it. */
#ifndef GREBE_DATA_FORMULA_TEXT_IMPL_H
#define GREBE_DATA_FORMULA_TEXT_IMPL_H

#include <stdbool.h>

#include "core/tape.h"
#include "data/standard/packed_impl.h"

typedef struct gb_formula_text {
    gb_tape *tape;
    const char *text;
    const char *const *column; /* names of the table, while the formula is read */
    size_t columns;
} gb_formula_text;

/* Records an error: "formula: WORDS", then the formula in a line of its own, and a caret under byte `at`.
 * Returns false. */
bool gb_formula_fail(const gb_formula_text *formula, size_t at, gb_status code, const char *format, ...)
    GB_PRINTF(4, 5);

/* Writes a number as R does, with up to 15 digits: 100, 1e+05, 0.001, 1e-04. */
enum { GB_R_NUMBER_TEXT = 32 };
const char *gb_r_number(double value, char text[GB_R_NUMBER_TEXT]);

/* Appends a text. */
void gb_text_add(gb_packing *text, const char *more);

/* Moves the text to an arena. Returns NULL if memory ran out, now or before. */
char *gb_text_moved(gb_packing *text, gb_arena *arena);

#endif
