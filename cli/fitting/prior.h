/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws from the prior of a model of rows. Errors are on the tape of the table. */
#ifndef GREBE_CLI_FITTING_PRIOR_H
#define GREBE_CLI_FITTING_PRIOR_H

#include "cli/fitting/model.h"
#include "fitting/nuts.h"

/* Returns a copy of a table with a column GB_CLI_WEIGHT of equal weights, and without one of its own (NULL:
 * with all). For gb_table_free; NULL on error. */
gb_table *gb_cli_weighted(const gb_table *table, double weight, const char *without);

typedef struct gb_cli_prior {
    gb_analysis *analysis; /* recorded for the table, with weights */
    gb_table *blank;       /* the table, with weights of 0 */
    gb_nuts *nuts;         /* `draws` of each of four chains */
} gb_cli_prior;

/* Records the model on the tape of the table, which has no other model, and draws. False for a model of a
 * whole, and on error. gb_cli_prior_end must follow in either case. */
bool gb_cli_prior_draw(gb_cli_prior *prior, const gb_cli_asked *asked, const gb_cli *cli,
                       const gb_table *table, int64_t draws);
void gb_cli_prior_end(gb_cli_prior *prior);

#endif
