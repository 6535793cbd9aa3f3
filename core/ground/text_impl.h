/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: the nearest of several names, and numbers and strings as other programs have them: JSON, CSV, scripts.
 * The user's language has no part in them. */
#ifndef GREBE_CORE_GROUND_TEXT_IMPL_H
#define GREBE_CORE_GROUND_TEXT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The name that begins with `text`, or else becomes it by the fewest changes of a letter; NULL where none is
 * near, or `text` is NULL. */
const char *gb_nearest_text(const char *text, size_t count, const char *const *names);

/* Reads a finite decimal number that is the whole of the text: no space, no hexadecimals, no words. What follows it (the byte
 * at `length`) must not continue a number. False: it is none. */
bool gb_text_number(const char *text, size_t length, double *value);

/* The shortest text that reads back as the same number, of six digits or more, with a point. */
enum { GB_NUMBER_TEXT = 48 };
const char *gb_number_text(double value, char text[GB_NUMBER_TEXT]);

/* Text that is put together in a buffer; `length` also counts what finds no room. */
typedef struct gb_text_writer {
    char *text;
    size_t bytes, length;
} gb_text_writer;
void gb_text_put(gb_text_writer *writer, const char *text);

/* All digits, with a point. */
void gb_put_number(FILE *file, double value);

/* The same; null where it is not finite. */
void gb_json_number(FILE *file, double value);

/* A string, quoted. NULL: null. */
void gb_json_text(FILE *file, const char *text);

#endif
