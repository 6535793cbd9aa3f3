/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Augment-REINFORCE-merge: one array of uniforms u gives a draw, and 1 − u its antithetic draw, all elements
 * at once. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node difference = gb_sub(gb_evaluation(costs, 0), gb_evaluation(costs, 1));
    const gb_node coefficient = gb_mul(difference, gb_shift(site->kept[0], -0.5));
    return gb_site_inject(site, gb_mean_along(costs, gb_axis(0)), gb_binary_logits(&site->q), coefficient);
}

const gb_estimator_type gb_arm_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "arm",
    .cite = "Yin and Zhou 2019",
    .formula = "(f(b) - f(b')) (u - 1/2) d logits",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_bernoulli,
    .expansion = GB_PROBES,
    .evaluations = gb_binary_pair_evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = gb_binary_pair_draw,
    .combine = combine,
};

gb_estimator gb_arm(void)
{
    return gb_estimator_of(&gb_arm_estimator_type, NULL);
}
