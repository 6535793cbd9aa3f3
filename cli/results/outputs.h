/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of results that options of a command name (GB_CLI_WRITES, GB_CLI_PICTURE): opened before the
 * work, replaced after it, all or none. "-" is standard output. Functions print errors. */
#ifndef GREBE_CLI_RESULTS_OUTPUTS_H
#define GREBE_CLI_RESULTS_OUTPUTS_H

#include "cli/shell/command.h"

/* Who writes the results of a command. `of` is its own struct of them. */
typedef void gb_cli_writer(const void *of, FILE *file);
typedef struct gb_cli_results {
    gb_cli_writer *print; /* for people */
    gb_cli_writer
        *file[GB_CLI_OPTIONS]; /* by option. NULL: written during the work, or a picture by gnuplot */
    void (*script)(const void *of, bool png, FILE *script); /* for gnuplot. NULL: it is not needed */
} gb_cli_results;

typedef struct gb_cli_outputs {
    const gb_cli *cli;
    const gb_cli_results *results;
    FILE *file[GB_CLI_OPTIONS]; /* by option; NULL: not given, or a picture that cannot be drawn */
} gb_cli_outputs;

/* Opens all; of a team the first member does, and writes what all have. A picture may need gnuplot; without
 * it all else is done. */
bool gb_cli_outputs_open(gb_cli_outputs *out, const gb_cli *cli, const gb_cli_results *results);

/* Returns whether standard output holds results, and so nothing else. */
bool gb_cli_outputs_quiet(const gb_cli_outputs *out);

/* Prints and writes all, and replaces files. */
gb_cli_code gb_cli_outputs_write(const gb_cli_outputs *out, const void *of);

#endif
