/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "estimators/estimator.h"

static gb_node value(const gb_site *site, const gb_baseline *baseline, gb_node cost)
{
    if (!isfinite(baseline->number)) {
        gb_fail(cost.tape, GB_EARGUMENT, "draw %s: the constant baseline is %g, and must be finite",
                site->name, baseline->number);
        return (gb_node){0};
    }
    return gb_num(cost.tape, baseline->number);
}

const gb_baseline_type gb_constant_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "constant",
    .formula = "a number",
    .number = "the number",
    .needs_number = true,
    .value = value,
};

gb_baseline gb_constant_baseline(double value)
{
    return (gb_baseline){.type = &gb_constant_baseline_type, .number = value};
}
