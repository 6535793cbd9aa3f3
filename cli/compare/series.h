/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparisons of a sweep, or the only one; and all that is made of them. */
#ifndef GREBE_CLI_COMPARE_SERIES_H
#define GREBE_CLI_COMPARE_SERIES_H

#include "cli/compare/request.h"
#include "compare/sweep.h"

typedef struct gb_cli_series {
    const gb_cli_sweep *sweep;
    gb_sweep *swept;       /* NULL: there is one comparison only, */
    gb_comparison *single; /* which is this */
    size_t
        count; /* as many as could be made; each may have refused an estimator, the last has another error */
    gb_comparison *const *point;
} gb_cli_series;

/* `raw`: every estimate goes there; NULL: none does. Errors were printed. To be ended in any case. */
gb_cli_code gb_cli_series_run(gb_cli_series *series, gb_cli_request *request, FILE *raw);
void gb_cli_series_end(gb_cli_series *series);

void gb_cli_series_print(const gb_cli_series *series, FILE *file);
void gb_cli_series_json(const gb_cli_series *series, FILE *file);
void gb_cli_series_csv(const gb_cli_series *series, FILE *file);

/* The picture, for gnuplot to write to its standard output. */
void gb_cli_series_plot(const gb_cli_series *series, bool png, FILE *file);

#endif
