/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_COMPARE_GNUPLOT_H
#define GREBE_CLI_COMPARE_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

typedef enum gb_cli_gnuplot { GB_CLI_DRAWN, GB_CLI_NO_GNUPLOT, GB_CLI_NOT_DRAWN } gb_cli_gnuplot;

/* Runs gnuplot: its standard input is `script` from the beginning, its standard output is `picture`. Both are
 * files of the system, so no pipe can fill up, and gnuplot leaves no file behind. */
gb_cli_gnuplot gb_cli_gnuplot_run(FILE *script, FILE *picture);

/* Reads the first line of `gnuplot --version`; returns false without gnuplot. */
bool gb_cli_gnuplot_version(char *text, size_t bytes);

#endif
