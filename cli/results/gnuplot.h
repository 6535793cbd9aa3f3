/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_RESULTS_GNUPLOT_H
#define GREBE_CLI_RESULTS_GNUPLOT_H

#include "cli/shell/child.h"

/* Runs gnuplot: its standard input is `script` from the beginning, a file of the system. Writes what it draws
 * to `picture`. Returns false if that is no whole picture. */
bool gb_cli_gnuplot_run(gb_cli_files *files, FILE *script, FILE *picture);

/* Reads the first line of `gnuplot --version`; returns false without gnuplot. */
bool gb_cli_gnuplot_version(gb_cli_files *files, char *text, size_t bytes);

#endif
