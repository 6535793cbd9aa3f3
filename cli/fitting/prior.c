/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prior of an analysis: its rows without their outcomes, which then say nothing. Priors that depend on
 * the data, by their means and deviations, are those of the training. */
#include "cli/fitting/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies a column; `is_blank`: all of its cells are missing. */
static bool add_column(gb_table *to, const gb_table *from, const gb_table_column *c, bool is_blank)
{
    const size_t rows = (size_t)gb_table_rows(from);
    const char **const text = c->number ? NULL : calloc(rows + 1, sizeof *text);
    double *const number = c->number ? calloc(rows + 1, sizeof *number) : NULL;
    for (size_t r = 0; text && r < rows; r++)
        text[r] = is_blank || c->level[r] < 0 ? NULL : c->levels[c->level[r]];
    for (size_t r = 0; number && r < rows; r++)
        number[r] = is_blank ? (double)NAN : c->number[r];
    const bool good = text     ? gb_table_add_texts(to, c->name, text) == GB_OK
                      : number ? gb_table_add(to, c->name, gb_numbers_of(GB_NUMBER_DOUBLE, number, rows)) == GB_OK
                               : false;
    free(text);
    free(number);
    return good;
}

gb_table *gb_cli_copy_of(const gb_table *table, const char *without, const char *blank)
{
    gb_table *const to = gb_table_new(gb_table_tape(table), gb_table_name(table), gb_table_rows(table));
    bool good = to;
    for (size_t i = 0; i < gb_table_columns(table); i++) {
        const gb_table_column *const c = gb_table_column_at(table, i);
        if (!without || strcmp(c->name, without) != 0)
            good = good && add_column(to, table, c, blank && strcmp(c->name, blank) == 0);
    }
    if (good)
        return to;
    gb_table_free(to);
    return NULL;
}

gb_nuts *gb_cli_prior_draws(gb_analysis *a, const gb_table *table, int64_t draws)
{
    gb_table *const blank = gb_analysis_data(a) ? gb_cli_copy_of(table, NULL, gb_analysis_outcome(a)) : NULL;
    gb_batches *const rows = blank ? gb_analysis_rows(a, blank) : NULL;
    gb_nuts *const n = rows ? gb_sample_nuts(gb_analysis_elbo(a), .data = rows, .draws = draws, .seed = 7919) : NULL;
    gb_table_free(blank);
    return n;
}
