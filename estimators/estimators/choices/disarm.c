/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DisARM, also called unbiased uniform gradient: the mean of ARM over all uniforms that give the same pair of
 * draws. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/list.h"
#include "ops/reduce.h"

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node mean = gb_mean_along(costs, gb_axis(0));
    return gb_site_inject(site, mean, gb_binary_logits(&site->q), gb_binary_pair_slope(site, costs));
}

const gb_estimator_type gb_disarm_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "disarm",
    .cite = "Dong, Mnih and Tucker 2020; Yin, Ho, Yan, Qian and Zhou 2020",
    .formula = "(f(b) - f(b')) (b - b') sigmoid(|logits|) / 2 d logits",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_bernoulli,
    .expansion = GB_PROBES,
    .evaluations = gb_binary_pair_evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = gb_binary_pair_draw,
    .combine = combine,
};

gb_estimator gb_disarm(void)
{
    return gb_estimator_of(&gb_disarm_estimator_type, NULL);
}
