/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bitflip-1: one of the n elements, chosen uniformly, is flipped. The derivative in its probability is the
 * difference that this makes, times n. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    const gb_node b = gb_sample(site->q, site->noise, site->axes);
    return gb_stop(gb_stack(2, (const gb_node[]){b, gb_binary_flipped(site, b)}, 0));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node cost = gb_evaluation(costs, 0);
    return gb_site_inject(site, cost, gb_dist_mean(site->q), gb_binary_flip_slope(site, costs, 1));
}

const gb_estimator_type gb_bitflip_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "bitflip",
    .cite = "Kunes, Yin, Land, Haviv, Pe'er and Tavare 2023",
    .formula = "n (f(b with b_i = 1) - f(b with b_i = 0)) dp_i for a random i of n",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,
    .lacks = gb_lacks_bernoulli,
    .expansion = GB_PROBES,
    .evaluations = gb_binary_pair_evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_bitflip(void)
{
    return gb_estimator_of(&gb_bitflip_estimator_type, NULL);
}
