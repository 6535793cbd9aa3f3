/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(const gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

/* The coefficient of the score is the whole cost: it stays live, for gradients of gradients. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_score_options *const options = gb_site_options(site);
    const gb_node baseline = options->baseline.type->value(site, cost);
    return gb_inject_score(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), gb_sub(cost, baseline));
}

const gb_estimator_type gb_score_type = {
    .size = sizeof(gb_estimator_type),
    .name = "score",
    .cite = "Williams 1992",
    .formula = "(f - b) d log q(z)",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_score_with(gb_score_options options)
{
    if (!options.baseline.type)
        options.baseline = gb_no_baseline;
    return gb_estimator_of(&gb_score_type, &options, sizeof options);
}
