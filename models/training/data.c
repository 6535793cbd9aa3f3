/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/training/data_impl.h"

#include "core/graph/feeds_impl.h"
#include "core/team.h"
#include "models/elbo/elbo_impl.h"
#include "models/training/batches_impl.h"

static bool feeds_input(const void *data, const char *name)
{
    return gb_batches_feed(data, name);
}

/* A row input without a column would have the rows of another batch. */
static bool columns_fit(const gb_elbo *e, const char *who, gb_program *program, const gb_batches *data)
{
    const char *const missing = data ? gb_feeds_missing(program, feeds_input, data) : NULL;
    if (missing)
        gb_fail(
            e->tape, GB_EARGUMENT,
            "%s: .data has no column for input %s, which the model needs for each row: add it to .columns "
            "of gb_batches_new",
            who, missing);
    return !missing;
}

/* Stores how many rows the inputs of all members were fed; −1: none have rows. */
static bool fed_rows(const gb_elbo *e, gb_program *program, int64_t *rows)
{
    double all[2] = {0};
    if (gb_feeds_rows(program, rows) && *rows >= 0) {
        all[0] = (double)*rows;
        all[1] = 1;
    }
    if (!gb_tape_add_up(e->tape, all, 2))
        return false;
    *rows = all[1] > 0 ? (int64_t)all[0] : -1;
    return true;
}

/* Each row, if the program has any, stands for data_size / rows of the data set. If nobody says so, that is
 * more likely a mistake. */
static bool rows_fit(const gb_elbo *e, const char *who, gb_program *program, const gb_batches *data,
                     bool is_part)
{
    const double size = e->options.data_size;
    int64_t rows = gb_batches_rows(data);
    if (!e->has_rows)
        return true;
    if (!data && !fed_rows(e, program, &rows))
        return false;
    if (rows == 0)
        return gb_fail(e->tape, GB_EARGUMENT, "%s: the inputs were fed 0 rows: there are no data", who) ==
               GB_OK;
    if (rows < 0 || (double)rows == size || (is_part && (double)rows < size))
        return true;
    gb_fail(
        e->tape, GB_EARGUMENT,
        "%s: %s %lld rows, and .data_size of the ELBO is %g, so each row would count %.3g times: give all "
        "rows (in batches: .data = gb_batches_new(…)), or the right .data_size%s",
        who, data ? ".data has" : "the inputs were fed", (long long)rows, size, size / (double)rows,
        (double)rows < size ? "; .part_of_data = true if it is meant" : "");
    return false;
}

/* Members that share out the same data must have the same, in the same order. */
static bool all_have(const gb_elbo *e, const char *who, const gb_batches *data)
{
    gb_batches_order mine = gb_batches_order_of(data), first = mine;
    if (!gb_tape_team(e->tape))
        return true;
    if (!gb_tape_tell(e->tape, &first, sizeof first))
        return false;
    if (mine.rows != first.rows || mine.batch != first.batch || mine.key != first.key)
        gb_fail(
            e->tape, GB_EARGUMENT,
            "%s: .data has %lld rows in batches of %lld, and that of the team's first member %lld in batches "
            "of %lld, or in another order; .sharded = true says that each has rows of its own",
            who, (long long)mine.rows, (long long)mine.batch, (long long)first.rows, (long long)first.batch);
    return !gb_tape_any(e->tape, false);
}

bool gb_data_fit(const gb_elbo *e, const char *who, gb_program *program, const gb_batches *data, bool is_part)
{
    return all_have(e, who, data) && columns_fit(e, who, program, data) &&
           rows_fit(e, who, program, data, is_part || e->part_of_data);
}
