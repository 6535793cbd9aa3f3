/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparisons of a sweep, or a single one, and their output. */
#ifndef GREBE_CLI_COMPARE_SERIES_H
#define GREBE_CLI_COMPARE_SERIES_H

#include "cli/compare/request.h"
#include "compare/sweep.h"

typedef struct gb_cli_series {
    const gb_cli_sweep *sweep;
    gb_sweep *swept;       /* NULL: only `single` */
    gb_comparison *single; /* NULL: only `swept` */
    /* Comparisons that were made. Each may have rejected an estimator; the last may have another error. */
    size_t count;
    gb_comparison *const *point;
} gb_cli_series;

/* Writes every estimate to `raw`, unless NULL. Prints errors. gb_cli_series_end must follow in either
 * case. */
gb_cli_code gb_cli_series_run(gb_cli_series *series, gb_cli_request *request, FILE *raw);
void gb_cli_series_end(gb_cli_series *series);

/* Returns whether at least one estimator was measured at one point. */
bool gb_cli_series_has_results(const gb_cli_series *series);

/* Write a gb_cli_series: for people, as JSON, as CSV. */
void gb_cli_series_print(const void *series, FILE *file);
void gb_cli_series_json(const void *series, FILE *file);
void gb_cli_series_csv(const void *series, FILE *file);

/* Writes the picture of a gb_cli_series as a script for gnuplot, which draws to its standard output. */
void gb_cli_series_plot(const void *series, bool png, FILE *file);

#endif
