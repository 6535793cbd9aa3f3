/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons at the points of a sweep, or the one at the only point; and all that is made of them. */
#ifndef GREBE_CLI_COMPARE_SERIES_H
#define GREBE_CLI_COMPARE_SERIES_H

#include "cli/compare/request.h"

typedef struct gb_cli_series {
    const gb_cli_sweep *sweep;
    size_t
        count; /* as many as could be made: each may have refused an estimator, the last have another error */
    gb_comparison *point[GB_CLI_POINTS];
} gb_cli_series;

/* `raw`: every estimate goes there; NULL: none does. An error was said. To be ended in any case. */
gb_cli_code gb_cli_series_run(gb_cli_series *series, gb_cli_request *request, FILE *raw);
void gb_cli_series_end(gb_cli_series *series);

void gb_cli_series_print(const gb_cli_series *series, FILE *file);
void gb_cli_series_json(const gb_cli_series *series, FILE *file);
void gb_cli_series_csv(const gb_cli_series *series, FILE *file);

/* The picture, for gnuplot to write to its standard output. */
void gb_cli_series_plot(const gb_cli_series *series, bool png, FILE *file);

#endif
