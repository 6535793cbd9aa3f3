/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Enumeration: the exact expectation, as a sum over all values of the draw. A batch of n numbers with K
 * values each has Kⁿ values. */
#include "estimators/estimators/shared/joint_impl.h"
#include "estimators/list.h"

#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node draw(gb_site *site)
{
    return gb_joint_values(site);
}

static gb_node weights(const gb_site *site)
{
    const gb_node log_q = gb_joint_log_probs(site, site->values);
    return gb_exp(gb_sum_over(log_q, gb_node_axes(log_q) & GB_ROWS & ~site->per));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node p = weights(site), zero = gb_num(costs.tape, 0);
    const gb_node each = gb_where(gb_greater(p, zero), gb_mul(p, costs), zero);
    return gb_sum(gb_continuous_in(each, 2, (const gb_node[]){p, costs}));
}

const gb_estimator_type gb_enumerate_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "enumerate",
    .formula = "d of the sum of q(v) f(v) over all values v; exact",
    .needs = GB_NEEDS(GB_CAN_ENUMERATE) | GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,
    .expansion = GB_WEIGHTS,
    .evaluations = gb_joint_count,
    .draw = draw,
    .combine = combine,
    .weights = weights,
};

gb_estimator gb_enumerated(void)
{
    return gb_estimator_of(&gb_enumerate_estimator_type, NULL);
}
