/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words to the person at the terminal: on standard error, so that standard output holds results alone. */
#ifndef GREBE_CLI_SHELL_SAY_H
#define GREBE_CLI_SHELL_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/status.h"

/* What the process ends with. Signals give 128 + their number. */
typedef enum gb_cli_code {
    GB_CLI_OK,
    GB_CLI_FAILED,  /* a check */
    GB_CLI_USAGE,   /* unknown words or options, or some that do not go together */
    GB_CLI_DATA,    /* data that make no sense */
    GB_CLI_NUMERIC, /* a value that is not finite */
    GB_CLI_IO       /* files, memory, other services of the system */
} gb_cli_code;

/* "grebe: …". Returns `code`. */
gb_cli_code gb_cli_say(gb_cli_code code, const char *format, ...) GB_PRINTF(2, 3);
/* The same, where a truth is wanted. Returns false. */
bool gb_cli_refuse(const char *format, ...) GB_PRINTF(1, 2);

/* The place of `word` among the names. False: "there is no WHAT WORD; did you mean …?" was printed, with all
 * names if there are few. */
bool gb_cli_find(const char *what, const char *word, size_t count, const char *const *names, size_t *place);

/* The code for an error of the library. */
gb_cli_code gb_cli_code_of(gb_status status);

/* Escapes for a terminal that shows colours; "" for others, and where NO_COLOR is set. */
typedef enum gb_cli_style { GB_CLI_PLAIN, GB_CLI_BOLD, GB_CLI_GOOD, GB_CLI_BAD } gb_cli_style;
const char *gb_cli_styled(FILE *file, gb_cli_style style);

#endif
