/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of numbers from files: a row of names, then rows of as many numbers, separated by commas. Fields may be quoted;
 * empty lines do not count. */
#ifndef GREBE_CLI_COMPARE_CSV_H
#define GREBE_CLI_COMPARE_CSV_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gb_cli_csv {
    char *text; /* the file; names lie in it */
    size_t rows, columns;
    const char **name;
    double *value; /* row after row */
} gb_cli_csv;

/* False: what is wrong, with line and column, was said; there is nothing to free then. *io: it could not be read. */
bool gb_cli_csv_read(gb_cli_csv *csv, const char *path, bool *io);
void gb_cli_csv_free(gb_cli_csv *csv);

#endif
