/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/baselines/others_impl.h"
#include "ops/reduce.h"

static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    (void)options;
    if (!(gb_node_axes(cost) & GB_SAMPLES))
        return cost;
    if (gb_estimator_needs(site->estimator) & GB_JOINS_PAIRS)
        return gb_mean_of_other_pairs(cost, "leave_one_out");
    return gb_if_others(gb_leave_one_out_mean(cost, GB_SAMPLES), GB_SAMPLES, "leave_one_out");
}

const gb_baseline_type gb_leave_one_out_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "leave_one_out",
    .cite = "Kool, van Hoof and Welling 2019",
    .formula = "the mean of f over the other samples, or pairs of samples",
    .value = value,
};

gb_baseline gb_leave_one_out(void)
{
    return gb_baseline_of(&gb_leave_one_out_baseline_type, NULL);
}
