/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --repeat: a comparison from a file of results, and whether it gives the same. */
#ifndef GREBE_CLI_COMPARE_REPEAT_H
#define GREBE_CLI_COMPARE_REPEAT_H

#include "cli/compare/request.h"
#include "cli/compare/series.h"

/* Fills the request from the file. Prints errors, also for options that the file decides. */
gb_cli_code gb_cli_repeat_read(gb_cli_request *request, const gb_cli *cli);

/* Returns whether the data are those of the file; prints an error if not. */
gb_cli_code gb_cli_repeat_data_fit(const gb_cli_request *request, const gb_cli *cli);

/* Prints whether each comparison is the same. Returns GB_CLI_OK if all are, else GB_CLI_FAILED. */
gb_cli_code gb_cli_repeat_judge(const gb_cli_request *request, const gb_cli_series *series, const char *path,
                                FILE *file);

#endif
