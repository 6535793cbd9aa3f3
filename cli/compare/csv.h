/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads tables of numbers from files: a row of names, then rows of equally many numbers, separated by commas.
 * Fields may be quoted; empty lines are ignored. */
#ifndef GREBE_CLI_COMPARE_CSV_H
#define GREBE_CLI_COMPARE_CSV_H

#include <stddef.h>

#include "cli/shell/say.h"

typedef struct gb_cli_csv {
    char *text; /* the file; names point into it */
    size_t rows, columns;
    const char **name;
    double *value; /* row after row */
} gb_cli_csv;

/* On error prints a message with line and column, and returns its code; nothing must be freed then. */
gb_cli_code gb_cli_csv_read(gb_cli_csv *csv, const char *path);
void gb_cli_csv_free(gb_cli_csv *csv);

#endif
