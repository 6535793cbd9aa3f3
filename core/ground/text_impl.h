/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: the nearest of several names, and numbers and strings in the forms of other programs: JSON, CSV,
 * scripts. The user's language does not change them. */
#ifndef GREBE_CORE_GROUND_TEXT_IMPL_H
#define GREBE_CORE_GROUND_TEXT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the name that differs by the case of letters alone, or else the one that begins with `text`, or
 * else the one with the fewest changed letters. NULL if none is near (more than half of the letters differ,
 * or all of them), or if `text` is NULL. */
const char *gb_nearest_text(const char *text, size_t count, const char *const *names);

/* Reads a finite decimal number that fills the text: no space, no hexadecimals, no words. The byte at
 * `length` must not continue a number. Returns false if the text is not such a number. */
bool gb_text_number(const char *text, size_t length, double *value);

/* Writes the shortest text with a point that reads back as the same number, of six digits or more, and
 * returns it. */
enum { GB_NUMBER_TEXT = 48 };
const char *gb_number_text(double value, char text[GB_NUMBER_TEXT]);

/* A text that grows in a buffer. `length` also counts what does not fit. */
typedef struct gb_text_writer {
    char *text;
    size_t bytes, length;
} gb_text_writer;
void gb_text_put(gb_text_writer *writer, const char *text);

/* Writes the first letter of a text (UTF-8, with at least one byte) as a message shows it, and returns how
 * many bytes it has. What a terminal would obey is shown: "\n", "\t", "\x1b". These are control characters,
 * those that change the direction of the text or end a line, and bytes that are no UTF-8. */
enum { GB_LETTER_TEXT = 5 };
size_t gb_text_letter(const char *text, size_t length, char shown[GB_LETTER_TEXT]);

/* Writes such letters, with `most` bytes at most, and a 0. Returns false if the text is longer. */
bool gb_text_show(const char *text, size_t length, size_t most, char *shown);

/* Writes such letters, and ends of lines as they are. */
void gb_put_lines(FILE *file, const char *text);

/* Writes out what the file holds back. Returns false if a write has failed, now or before. */
bool gb_flushed(FILE *file);

/* Writes all digits, with a point. */
void gb_put_number(FILE *file, double value);

/* The same, but null if the number is not finite. */
void gb_json_number(FILE *file, double value);

/* Writes a field of CSV (RFC 4180): in quotes if it has a comma, a quote, an end of a line, or a space at an
 * end. */
void gb_csv_text(FILE *file, const char *text);

/* Writes a text between tags of XML: with letters as a message shows them, and < > & by their names. */
void gb_xml_text(FILE *file, const char *text);

/* Writes a quoted string; null for NULL. Bytes that are no UTF-8 are shown, since JSON has no others. */
void gb_json_text(FILE *file, const char *text);

/* Begins a document of JSON, an object: writes its first member, which names its schema and the version of
 * that. docs/schemas/SCHEMA.json describes it. */
void gb_json_begin(FILE *file, const char *schema);

#endif
