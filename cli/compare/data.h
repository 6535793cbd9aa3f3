/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the data of a problem: one column of a file is the target, the others are x. */
#ifndef GREBE_CLI_COMPARE_DATA_H
#define GREBE_CLI_COMPARE_DATA_H

#include "cli/shell/command.h"
#include "compare/problem.h"

typedef struct gb_cli_data {
    gb_problem_data is;
    double *x, *y;
    char from[512]; /* for files of results */
} gb_cli_data;

/* `standardise` scales each column of x to mean 0 and standard deviation 1. Prints errors. */
gb_cli_code gb_cli_data_read(gb_cli_data *data, const char *path, const char *target, bool standardise);
void gb_cli_data_free(gb_cli_data *data);

#endif
