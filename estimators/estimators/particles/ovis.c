/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OVIS: the score of each particle is weighted by d_k = L − v_k less the mean of d_k over new draws of this
 * particle, the control variate that would be optimal if scores and weights were independent. The gradient
 * through log q at fixed draws, which stays in the cost, is the part −v_k. */
#include "estimators/bound.h"
#include "estimators/list.h"

#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static int64_t rounds(const gb_site *site)
{
    const gb_ovis_options *const options = site->options;
    return options->rounds;
}

static int64_t evaluations(const gb_site *site)
{
    return 1 + rounds(site);
}

static gb_node draw(gb_site *site)
{
    const gb_axes round = gb_site_axis(site->q.tape, "rounds", 1 + rounds(site));
    return gb_stop(gb_reveal(gb_sample(site->q, site->noise, site->axes | round), round));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node l = gb_site_log_weights(site), cost = gb_evaluation(costs, 0);
    gb_node mean = {0}, slope;
    for (int64_t i = 1; i <= rounds(site); i++) {
        const gb_node here = gb_sub(gb_site_cost_instead(site, gb_evaluation(l, i), &slope), slope);
        mean = i == 1 ? here : gb_add(mean, here);
    }
    const gb_node with = gb_site_cost_instead(site, gb_evaluation(l, 0), NULL);
    const gb_node signal = gb_sub(with, gb_scale(mean, 1 / (double)rounds(site)));
    return gb_site_inject(site, cost, gb_site_particle_log_probs(site), signal);
}

static const gb_domain count = {.size = sizeof(gb_domain),
                                .name = "rounds",
                                .must_be = "a whole number from 1 to 1000",
                                .low = 1,
                                .high = 1000,
                                .whole = true};

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_ovis_options, rounds, 1, &count, "new draws of each particle"), {0}};

const gb_estimator_type gb_ovis_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "ovis",
    .cite = "Lievin, Dittadi, Christensen and Winther 2020",
    .formula = "sum (d_k - mean d_k at new z_k) d log q(z_k) over the particles, d_k = L - dL/dl_k",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_BOUND,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_ovis_options),
};

gb_estimator gb_ovis_with(const gb_ovis_options *options)
{
    return gb_estimator_of(&gb_ovis_estimator_type, options);
}
