/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user reads. Messages go to standard error, so that standard output holds only results. Names, texts
 * and errors of files, arguments and plug-ins may contain what a terminal would obey: here it is shown. */
#ifndef GREBE_CLI_SHELL_SAY_H
#define GREBE_CLI_SHELL_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/status.h"

/* The exit status. A signal gives 128 + its number. */
typedef enum gb_cli_code {
    GB_CLI_OK,
    GB_CLI_FAILED,           /* a check */
    GB_CLI_USAGE,            /* unknown words or options, or incompatible ones */
    GB_CLI_DATA,             /* invalid data */
    GB_CLI_NUMERIC,          /* a value that is not finite */
    GB_CLI_IO,               /* files, memory, other services of the system */
    GB_CLI_INTERRUPTED = 130 /* by SIGINT, after work that saved what it had */
} gb_cli_code;

/* Prints "grebe: …" and returns `code`. */
gb_cli_code gb_cli_say(gb_cli_code code, const char *format, ...) GB_PRINTF(2, 3);
/* The same, for functions that return bool: returns false. */
bool gb_cli_reject(const char *format, ...) GB_PRINTF(1, 2);

/* Prints a line, or a part of one. All but its end is shown as in a message. */
void gb_cli_print(FILE *file, const char *format, ...) GB_PRINTF(2, 3);

/* The same for lines that the library writes to a file: gb_cli_page_begin returns one, NULL with a message if
 * there is no memory. gb_cli_page_end prints what was written to it. */
typedef struct gb_cli_page {
    FILE *file, *to;
    char *text;
    size_t bytes;
} gb_cli_page;
FILE *gb_cli_page_begin(gb_cli_page *page, FILE *file);
void gb_cli_page_end(gb_cli_page *page);

/* Finds the place of `word` among the names. Else prints "there is no WHAT WORD; did you mean …?", with all
 * names if there are few, and returns false. */
bool gb_cli_find(const char *what, const char *word, size_t count, const char *const *names, size_t *place);

/* Returns the code for an error of the library. */
gb_cli_code gb_cli_code_of(gb_status status);

/* Returns an escape sequence; "" for a terminal without colours, for other files, and if NO_COLOR is set. */
typedef enum gb_cli_style { GB_CLI_PLAIN, GB_CLI_BOLD, GB_CLI_GOOD, GB_CLI_BAD } gb_cli_style;
const char *gb_cli_styled(FILE *file, gb_cli_style style);

#endif
