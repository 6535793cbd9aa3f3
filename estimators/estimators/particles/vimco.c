/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VIMCO: the score function of each particle, weighted by what the bound gains by its log weight over a mean
 * of those of the others. */
#include "estimators/bound.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_vimco_options *const options = site->options;
    const gb_node others = gb_site_other_weights(site, options->mean == GB_ARITHMETIC_MEAN);
    const gb_node without = gb_site_cost_instead(site, others, NULL);
    const gb_node with = gb_site_cost_instead(site, gb_site_log_weights(site), NULL);
    return gb_site_inject(site, cost, gb_site_particle_log_probs(site), gb_sub(with, without));
}

static const char *const means[] = {"geometric", "arithmetic", NULL};
static const gb_option table[] = {
    GB_OPTION_CHOICE(gb_vimco_options, mean, means, "mean of the other weights, in the baseline"), {0}};

const gb_estimator_type gb_vimco_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "vimco",
    .cite = "Mnih and Rezende 2016",
    .formula =
        "sum (L - L_k) d log q(z_k) over the particles, with a mean of the other weights for w_k in L_k",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_BOUND,
    .first_order = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_vimco_options),
};

gb_estimator gb_vimco_with(const gb_vimco_options *options)
{
    return gb_estimator_of(&gb_vimco_estimator_type, options);
}
