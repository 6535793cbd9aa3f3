/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --repeat: a comparison or a race from a file of results, and whether it gives the same. */
#ifndef GREBE_CLI_COMPARE_REPEAT_H
#define GREBE_CLI_COMPARE_REPEAT_H

#include "cli/compare/request.h"
#include "cli/results/outputs.h"

/* Fills a request of zeros from the file. Prints errors, also for options that the file decides, and for data
 * that are not those of the file. gb_cli_request_end must follow in either case. */
gb_cli_code gb_cli_repeat_read(gb_cli_request *request, const gb_cli *cli);

/* Prints whether what was made again, as `json` writes it, is the same as the file. Returns GB_CLI_OK if it
 * is, else GB_CLI_FAILED; GB_CLI_DATA if the file is damaged. */
gb_cli_code gb_cli_repeat_judge(const gb_cli_request *request, gb_cli_writer *json, const void *of,
                                const char *path, FILE *file);

#endif
