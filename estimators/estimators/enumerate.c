/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Enumeration: the exact expectation, as a sum over all values of the draw. A batch of n numbers with K
 * values each has Kⁿ values. */
#include "core/op.h"
#include "estimators/estimators/shared/grid_impl.h"
#include "estimators/list.h"

#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static int64_t batch_of(const gb_site *site)
{
    return (int64_t)gb_shape_count(gb_dist_batch_shape(site->q));
}

/* Returns the number of values of one element of the batch. */
static int64_t values_of(gb_node values)
{
    const gb_shape shape = gb_node_shape(values);
    return shape.rank > 0 ? shape.size[0] : 0;
}

static int64_t evaluations(const gb_site *site)
{
    return gb_grid_size(site, values_of(gb_dist_enumerate(site->q)), batch_of(site));
}

static gb_node draw(gb_site *site)
{
    const gb_node values = gb_dist_enumerate(site->q);
    const gb_shape batch = gb_dist_batch_shape(site->q);
    return gb_gather(values, 0, gb_grid_places(site, values_of(values), batch));
}

static gb_node weights(const gb_site *site)
{
    const gb_node log_q = gb_log_prob(site->q, site->values);
    return gb_exp(gb_sum_over(gb_sum_event(log_q, gb_node_shape(log_q).rank - 1),
                              gb_node_axes(log_q) & GB_ROWS & ~site->per));
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
    .evaluations = evaluations,
    .draw = draw,
    .combine = combine,
    .weights = weights,
};

gb_estimator gb_enumerated(void)
{
    return gb_estimator_of(&gb_enumerate_estimator_type, NULL);
}
