/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Enumeration: the exact expectation, as a sum over all that can be drawn. Of a batch of n numbers with K values each
 * those are Kⁿ. */
#include "estimators/list.h"

#include <string.h>

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST_VALUES = 1 << 20 };

static int64_t batch_of(const gb_site *site)
{
    return (int64_t)gb_shape_count(gb_dist_batch_shape(site->q));
}

/* How many values one of the batch can take. */
static int64_t values_of(gb_node values)
{
    const gb_shape shape = gb_node_shape(values);
    return shape.rank > 0 ? shape.size[0] : 0;
}

static int64_t evaluations(const gb_site *site)
{
    const int64_t each = values_of(gb_dist_enumerate(site->q));
    int64_t all = 1;
    for (int64_t i = 0; i < batch_of(site) && all <= MOST_VALUES; i++)
        all *= each;
    if (all <= MOST_VALUES)
        return all;
    gb_fail(site->q.tape, GB_ELIMIT, "draw %s: enumerate: %lld values to the power of %lld are more than %d",
            site->name, (long long)each, (long long)batch_of(site), MOST_VALUES);
    return 0;
}

/* Which value each of the batch takes in each evaluation: the digits of the evaluation's number. */
static gb_node digits(gb_tape *tape, int64_t evaluations, gb_shape batch, int64_t each)
{
    const int64_t count = (int64_t)gb_shape_count(batch);
    const gb_node number = gb_reshape(gb_arange(tape, evaluations), gb_shape(evaluations, 1));
    const gb_node base = gb_num(tape, (double)each);
    gb_node digit = gb_zeros(tape, gb_shape(evaluations, 0)), rest = number;
    for (int64_t i = 0; i < count; i++) {
        const gb_node next = gb_floor(gb_div(rest, base));
        digit = gb_concat(2, (const gb_node[]){digit, gb_sub(rest, gb_mul(next, base))}, 1);
        rest = next;
    }
    gb_shape shape = {.rank = 1 + batch.rank, .size = {evaluations}};
    memcpy(shape.size + 1, batch.size, (size_t)batch.rank * sizeof *batch.size);
    return gb_to_int(gb_reshape(digit, shape));
}

static gb_node draw(gb_site *site)
{
    const gb_node values = gb_dist_enumerate(site->q);
    const gb_shape batch = gb_dist_batch_shape(site->q);
    return gb_gather(values, 0, digits(values.tape, site->evaluations, batch, values_of(values)));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node log_q = gb_log_prob(site->q, site->values), zero = gb_num(costs.tape, 0);
    const gb_node p = gb_exp(gb_sum_over(gb_sum_event(log_q, gb_node_shape(log_q).rank - 1),
                                         gb_node_axes(log_q) & GB_ROWS & ~site->per));
    return gb_sum(gb_where(gb_greater(p, zero), gb_mul(p, costs), zero));
}

const gb_estimator_type gb_enumerate_type = {
    .size = sizeof(gb_estimator_type),
    .name = "enumerate",
    .formula = "d of the sum of q(v) f(v) over all values v; exact",
    .needs = GB_NEEDS(GB_CAN_ENUMERATE) | GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,
    .expansion = GB_WEIGHTS,
    .evaluations = evaluations,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_enumerated(void)
{
    return gb_estimator_of(&gb_enumerate_type, NULL, 0);
}
