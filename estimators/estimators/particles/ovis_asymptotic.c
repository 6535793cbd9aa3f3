/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OVIS by its limits: the optimal control variate where the weights are nearly even, γ = 1, and where one of
 * them is nearly all, γ = 0. The term γ v_k depends on the draw that it corrects, and so biases the
 * gradient. */
#include <math.h>

#include "estimators/bound.h"
#include "estimators/list.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

/* The gradient through log q at fixed draws, which stays in the cost, is the part −v_k of d_k. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_ovis_asymptotic_options *const options = site->options;
    const double gamma = 1 - options->one_weight,
                 count = (double)gb_site_axis_size(cost.tape, site->particles);
    const gb_node others = gb_site_other_weights(site, true);
    const gb_node gain = gb_sub(gb_site_cost_instead(site, gb_site_log_weights(site), NULL),
                                gb_site_cost_instead(site, others, NULL));
    const gb_node level = gb_scale(gb_site_row_factor(site), (1 - gamma) * log1p(-1 / count));
    const gb_node signal = gb_sub(gb_add(gain, gb_scale(gb_site_slopes(site), gamma)), level);
    return gb_site_inject(site, cost, gb_site_particle_log_probs(site), signal);
}

static const gb_domain share = {
    .size = sizeof(gb_domain), .name = "share", .must_be = "from 0 to 1", .low = 0, .high = 1};

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_ovis_asymptotic_options, one_weight, 0, &share,
                     "1 - gamma: share of the limit in which one weight is all"),
    {0}};

const gb_estimator_type gb_ovis_asymptotic_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "ovis_asymptotic",
    .cite = "Lievin, Dittadi, Christensen and Winther 2020",
    .formula = "sum (L - L_k - (1 - gamma) (v_k + log(1 - 1/K))) d log q(z_k) over the particles",
    .bias = "unless one_weight is 1, the control variate contains v_k, which depends on the draw",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_BOUND,
    .first_order = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_ovis_asymptotic_options),
};

gb_estimator gb_ovis_asymptotic_with(const gb_ovis_asymptotic_options *options)
{
    return gb_estimator_of(&gb_ovis_asymptotic_estimator_type, options);
}
