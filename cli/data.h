/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of numbers, read from CSV: a first line of names, then a row of numbers on each line. */
#ifndef GREBE_CLI_DATA_H
#define GREBE_CLI_DATA_H

#include "cli/command.h"
#include "estimators/problem.h"

typedef struct gb_cli_data {
    gb_problem_data data; /* all columns but the target, and the target */
    double *x, *y;        /* its memory */
} gb_cli_data;

/* Reads `path`, of which the column `target` is what is to be explained. `standardise`: columns of x get the mean 0 and the
 * standard deviation 1 (of the population). What is wrong is said, with line and column. Ended by gb_cli_data_free. */
gb_cli_code gb_cli_data_read(gb_cli_data *data, const char *path, const char *target, bool standardise);
void gb_cli_data_free(gb_cli_data *data);

#endif
