/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of results that options of a command name: opened before the work, replaced after it, all or
 * none. "-" is standard output. Functions print errors. */
#ifndef GREBE_CLI_RESULTS_OUTPUTS_H
#define GREBE_CLI_RESULTS_OUTPUTS_H

#include "cli/shell/command.h"

/* Which options name files of results: from `first` to `last`; `plot` is the picture. */
typedef struct gb_cli_outputs_options {
    size_t first, last, plot;
    size_t inputs; /* options that name files which are read */
    const size_t *input;
} gb_cli_outputs_options;

typedef struct gb_cli_outputs {
    const gb_cli *cli;
    size_t plot;
    FILE *file[GB_CLI_OPTIONS]; /* by option; NULL: not given, or a picture that cannot be drawn */
    bool png;
} gb_cli_outputs;

/* Rejects two options with one file, one that is read, and a picture of another form than SVG or PNG. */
bool gb_cli_outputs_fit(const gb_cli *cli, const gb_cli_outputs_options *options);

/* Opens all from `first` to `last`. `by_gnuplot`: a picture needs gnuplot; without it all else is done. */
bool gb_cli_outputs_open(gb_cli_outputs *out, const gb_cli *cli, const gb_cli_outputs_options *options,
                         bool by_gnuplot);

/* Returns whether standard output holds results, and so nothing else. */
bool gb_cli_outputs_quiet(const gb_cli_outputs *out);

/* Draws the picture, if there is one, by what `write` writes for gnuplot. */
bool gb_cli_outputs_draw(const gb_cli_outputs *out, void (*write)(const void *of, bool png, FILE *script),
                         const void *of);

#endif
