/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimator.h"
#include "ops/reduce.h"

static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    (void)options;
    if (site->per & GB_ROWS)
        return gb_node_axes(cost) & GB_ROWS
                   ? gb_if_others(gb_leave_one_out_mean(cost, GB_ROWS), GB_ROWS, "leave_one_row_out")
                   : cost;
    gb_fail(
        cost.tape, GB_EARGUMENT,
        "draw %s: leave_one_row_out needs a draw for each row, and a cost that is a sum over rows which do "
        "not depend on each other's draws",
        site->name);
    return (gb_node){0};
}

const gb_baseline_type gb_leave_one_row_out_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "leave_one_row_out",
    .formula = "the mean of f over the other rows",
    .value = value,
};

gb_baseline gb_leave_one_row_out(void)
{
    return gb_baseline_of(&gb_leave_one_row_out_baseline_type, NULL);
}
