/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run uses the average of earlier runs and then updates it. So its own costs are not in its baseline. */
#include "estimators/estimator.h"
#include "estimators/learn.h"
#include "ops/elementwise.h"

/* The average starts at 0 and is divided by its total weight, 1 − decay^runs. */
static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    const double decay = ((const gb_moving_average_options *)options)->decay;
    const gb_node sum = gb_site_variable(site, "baseline", gb_shape(), 0);
    const gb_node weight = gb_site_variable(site, "baseline_weight", gb_shape(), 0);
    const gb_node now = gb_site_mean(site, cost);
    gb_site_assigns(site, sum, gb_add(gb_scale(sum, decay), gb_scale(now, 1 - decay)));
    gb_site_assigns(site, weight, gb_shift(gb_scale(weight, decay), 1 - decay));
    return gb_div(sum, gb_max(weight, gb_num(cost.tape, 1 - decay)));
}

static const gb_option table[] = {GB_OPTION_NUMBER(gb_moving_average_options, decay, 0.9, GB_OPEN_UNIT,
                                                   "weight of a run, relative to the next one"),
                                  {0}};

const gb_baseline_type gb_moving_average_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "moving_average",
    .cite = "Williams 1992; Mnih and Gregor 2014",
    .formula = "the mean cost of earlier runs, older ones weighing less",
    .options = table,
    .option_bytes = sizeof(gb_moving_average_options),
    .value = value,
};

gb_baseline gb_moving_average_with(const gb_moving_average_options *options)
{
    return gb_baseline_of(&gb_moving_average_baseline_type, options);
}
