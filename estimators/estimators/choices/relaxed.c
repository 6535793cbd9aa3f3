/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/list.h"

#include "estimators/estimators/choices/relaxed_impl.h"
#include "ops/control.h"

gb_node gb_site_relaxed_draw(const gb_site *site)
{
    const gb_relaxed_draws_options *const options = site->options;
    const gb_node temperature = gb_node_ok(options->annealed) ? gb_stop(options->annealed)
                                                              : gb_num(site->q.tape, options->temperature);
    return gb_rsample(gb_dist_relaxed(site->q, temperature), site->noise, site->axes);
}

static gb_node draw(gb_site *site)
{
    return gb_site_relaxed_draw(site);
}

const gb_domain gb_temperature_domain = {.size = sizeof(gb_domain),
                                         .name = "temperature",
                                         .must_be = "from 0.001 to 1000",
                                         .low = 1e-3,
                                         .high = 1e3};

const gb_option gb_relaxation_rows[] = {
    GB_OPTION_NUMBER(gb_relaxed_draws_options, temperature, 0.5, &gb_temperature_domain,
                     "temperature of the relaxation"),
    GB_OPTION_NODE(gb_relaxed_draws_options, annealed, "a node that replaces temperature"),
    {0}};

const gb_estimator_type gb_relaxed_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "relaxed",
    .cite = "Maddison, Mnih and Teh 2017; Jang, Gu and Poole 2017",
    .formula = "df(s(z)), s(z) = sigmoid(z / temperature) or softmax",
    .bias = "the relaxed draw has another distribution; the bias decreases with the temperature",
    .needs = GB_NEEDS(GB_CAN_RELAX) | GB_NEEDS_SMOOTH_COST,
    .relaxes = true,
    .draw = draw,
    .options = gb_relaxation_rows,
    .option_bytes = sizeof(gb_relaxed_draws_options),
};

gb_estimator gb_relaxed_draws_with(const gb_relaxed_draws_options *options)
{
    return gb_estimator_of(&gb_relaxed_estimator_type, options);
}
