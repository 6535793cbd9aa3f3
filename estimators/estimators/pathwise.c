/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/together_impl.h"
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    const gb_pathwise_options *const options = site->options;
    return options->draws == GB_INDEPENDENT ? gb_rsample(site->q, site->noise, site->axes)
                                            : gb_site_drawn_together(site, options->draws);
}

static const char *lacks(const gb_dist *q, const void *bytes)
{
    const gb_pathwise_options *const options = bytes;
    return options ? gb_draws_lack(q, options->draws) : NULL;
}

static unsigned needs_with(const void *bytes)
{
    const gb_pathwise_options *const options = bytes;
    return gb_draws_need(options->draws);
}

static const gb_option table[] = {GB_OPTION_DRAWS(gb_pathwise_options), {0}};

const gb_estimator_type gb_pathwise_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "pathwise",
    .cite = "Kingma and Welling 2014",
    .formula = "df(g(theta, e))",
    .needs = GB_NEEDS(GB_CAN_RSAMPLE) | GB_NEEDS_SMOOTH_COST,
    .lacks = lacks,
    .draw = draw,
    .options = table,
    .option_bytes = sizeof(gb_pathwise_options),
    .needs_with = needs_with,
};

gb_estimator gb_pathwise_with(const gb_pathwise_options *options)
{
    return gb_estimator_of(&gb_pathwise_estimator_type, options);
}
