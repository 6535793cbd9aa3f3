/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of weight 0 say nothing, so the posterior of a model that sees none but these is its prior: that of
 * the model as the training records it, whose scales are those of the data. */
#include "cli/fitting/prior.h"

#include <stdlib.h>
#include <string.h>

static bool add_column(gb_table *to, const gb_table *from, const gb_table_column *c)
{
    const size_t rows = (size_t)gb_table_rows(from);
    if (c->number)
        return gb_table_add(to, c->name, gb_numbers_of(GB_NUMBER_DOUBLE, c->number, rows)) == GB_OK;
    const char **const text = calloc(rows + 1, sizeof *text);
    for (size_t r = 0; text && r < rows; r++)
        text[r] = c->level[r] < 0 ? NULL : c->levels[c->level[r]];
    const bool good = text && gb_table_add_texts(to, c->name, text) == GB_OK;
    free(text);
    return good;
}

static bool add_weights(gb_table *to, double weight)
{
    const size_t rows = (size_t)gb_table_rows(to);
    double *const all = calloc(rows + 1, sizeof *all);
    for (size_t i = 0; all && i < rows; i++)
        all[i] = weight;
    const bool good =
        all && gb_table_add(to, GB_CLI_WEIGHT, gb_numbers_of(GB_NUMBER_DOUBLE, all, rows)) == GB_OK;
    free(all);
    return good;
}

gb_table *gb_cli_weighted(const gb_table *table, double weight, const char *without)
{
    gb_table *const to = gb_table_new(gb_table_tape(table), gb_table_name(table), gb_table_rows(table));
    bool good = to && add_weights(to, weight);
    for (size_t i = 0; i < gb_table_columns(table); i++)
        if (!without || strcmp(gb_table_column_at(table, i)->name, without) != 0)
            good = good && add_column(to, table, gb_table_column_at(table, i));
    if (good)
        return to;
    gb_table_free(to);
    return NULL;
}

bool gb_cli_prior_draw(gb_cli_prior *p, const gb_cli_asked *asked, const gb_cli *cli, const gb_table *table,
                       int64_t draws)
{
    gb_table *const counted = gb_cli_weighted(table, 1, NULL);
    *p = (gb_cli_prior){.blank = gb_cli_weighted(table, 0, NULL)};
    p->analysis = counted ? gb_cli_asked_record_weighted(asked, cli, gb_table_tape(table), counted) : NULL;
    gb_batches *const rows =
        p->blank && gb_analysis_data(p->analysis) ? gb_analysis_rows(p->analysis, p->blank) : NULL;
    p->nuts = rows ? gb_sample_nuts(gb_analysis_elbo(p->analysis), .data = rows, .draws = draws) : NULL;
    gb_table_free(counted);
    return p->nuts;
}

void gb_cli_prior_end(gb_cli_prior *p)
{
    gb_nuts_free(p->nuts);
    gb_table_free(p->blank);
}
