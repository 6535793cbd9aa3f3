/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimator.h"

static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    const gb_constant_baseline_options *const constant = options;
    (void)site;
    return gb_num(cost.tape, constant->value);
}

static const gb_option table[] = {
    GB_OPTION_ARGUMENT(gb_constant_baseline_options, value, GB_REAL, "the number"), {0}};

const gb_baseline_type gb_constant_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "constant",
    .formula = "a number",
    .options = table,
    .option_bytes = sizeof(gb_constant_baseline_options),
    .value = value,
};

gb_baseline gb_constant_baseline(double value)
{
    return gb_baseline_of(
        &gb_constant_baseline_type,
        &(gb_constant_baseline_options){.size = sizeof(gb_constant_baseline_options), .value = value});
}
