/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Straight-through as the identity: the draw has the derivative of its mean, as if it were its mean. */
#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    const gb_node b = gb_stop(gb_sample(site->q, site->noise, site->axes));
    return gb_add(b, gb_gradient_only(gb_dist_mean(site->q)));
}

const gb_estimator_type gb_straight_through_mean_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "straight_through_mean",
    .cite = "Bengio, Leonard and Courville 2013",
    .formula = "f'(b) dp, p the mean of b",
    .bias = "slopes of the cost at the draws stand for its differences; right if the cost is linear",
    .needs = GB_NEEDS_SMOOTH_COST,
    .lacks = gb_lacks_choice,
    .relaxes = true,
    .draw = draw,
};

gb_estimator gb_straight_through_mean(void)
{
    return gb_estimator_of(&gb_straight_through_mean_estimator_type, NULL);
}
