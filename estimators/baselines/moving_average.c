/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Use, then update: a run subtracts the average of the runs before it, in which its own costs are not. */
#include <math.h>

#include "estimators/estimator.h"
#include "estimators/learn.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const double USUAL_DECAY = 0.9;

/* The average starts from 0, and is divided by the weight that costs have had in it: 1 − decay^runs. */
static gb_node value(const gb_site *site, const gb_baseline *baseline, gb_node cost)
{
    const double decay = baseline->number == 0 ? USUAL_DECAY : baseline->number;
    if (!(decay > 0 && decay < 1)) {
        gb_fail(cost.tape, GB_EARGUMENT,
                "draw %s: the decay of a moving average is %g, and must be between 0 and 1", site->name,
                decay);
        return (gb_node){0};
    }
    const gb_node sum = gb_site_variable(site, "baseline", gb_shape(), 0);
    const gb_node weight = gb_site_variable(site, "baseline_weight", gb_shape(), 0);
    const gb_node now = gb_mean_over(cost, gb_node_axes(cost));
    gb_site_assigns(site, sum, gb_add(gb_scale(sum, decay), gb_scale(now, 1 - decay)));
    gb_site_assigns(site, weight, gb_shift(gb_scale(weight, decay), 1 - decay));
    return gb_div(sum, gb_max(weight, gb_num(cost.tape, 1 - decay)));
}

const gb_baseline_type gb_moving_average_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "moving_average",
    .cite = "Williams 1992; Mnih and Gregor 2014",
    .formula = "the mean cost of earlier runs, older ones weighing less",
    .number = "the decay",
    .value = value,
};

const gb_baseline gb_moving_average = {.type = &gb_moving_average_baseline_type};

gb_baseline gb_moving_average_of(double decay)
{
    return (gb_baseline){.type = &gb_moving_average_baseline_type, .number = decay};
}
