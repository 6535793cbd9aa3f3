/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints rows of named fields, as text for a person or as a JSON array. */
#ifndef GREBE_CLI_KINDS_LISTING_H
#define GREBE_CLI_KINDS_LISTING_H

#include <stdbool.h>
#include <stdio.h>

typedef struct gb_cli_listing {
    FILE *file;
    bool json;
    int width;           /* of names, in text */
    int depth;           /* of rows within rows */
    size_t rows, fields; /* so far: of this array, of this row */
} gb_cli_listing;

/* A row begins with its name. In text the first field follows on the same line, others below with their
 * keys. */
void gb_cli_row_begin(gb_cli_listing *listing, const char *name);
void gb_cli_row_end(gb_cli_listing *listing);

/* Prints a text. NULL: null in JSON, nothing in text. */
void gb_cli_field(gb_cli_listing *listing, const char *key, const char *text);
/* Prints a truth; in text as `words` if it holds, else nothing. */
void gb_cli_flag(gb_cli_listing *listing, const char *key, bool holds, const char *words);
/* Prints a number, in JSON only. */
void gb_cli_number_field(gb_cli_listing *listing, const char *key, double value);

/* Prints texts, ended by NULL, in JSON only. NULL: none. */
void gb_cli_texts_field(gb_cli_listing *listing, const char *key, const char *const *texts);

/* Rows within a row. */
void gb_cli_rows_begin(gb_cli_listing *listing, const char *key);
void gb_cli_rows_end(gb_cli_listing *listing);

#endif
