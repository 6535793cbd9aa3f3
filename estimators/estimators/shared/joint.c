/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/joint_impl.h"

#include "estimators/estimators/shared/grid_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* Returns the number of values of one element of the batch. */
static int64_t values_of(gb_node values)
{
    const gb_shape shape = gb_node_shape(values);
    return shape.rank > 0 ? shape.size[0] : 0;
}

int64_t gb_joint_count(const gb_site *site)
{
    const int64_t batch = (int64_t)gb_shape_count(gb_dist_batch_shape(site->q));
    return gb_grid_size(site, values_of(gb_dist_enumerate(site->q)), batch);
}

gb_node gb_joint_values(const gb_site *site)
{
    const gb_node values = gb_dist_enumerate(site->q);
    const gb_shape batch = gb_dist_batch_shape(site->q);
    const int64_t each = values_of(values);
    return gb_gather(values, 0, gb_grid_places(site, gb_joint_count(site), each, batch));
}

gb_node gb_joint_log_probs(const gb_site *site, gb_node values)
{
    const gb_node log_q = gb_log_prob(site->q, values);
    return gb_sum_event(log_q, gb_node_shape(log_q).rank - 1);
}

/* (K) + (batch): of all values, for each element of the batch. */
static gb_node log_probs_of_each(const gb_site *site)
{
    const gb_node values = gb_dist_enumerate(site->q);
    const gb_shape batch = gb_dist_batch_shape(site->q), event = gb_dist_event_shape(site->q);
    gb_shape shape = gb_shape(values_of(values));
    for (int i = 0; i < batch.rank; i++)
        shape = gb_shape_join(shape, gb_shape(1));
    return gb_log_prob(site->q, gb_reshape(values, gb_shape_join(shape, event)));
}

/* The first number changes fastest. */
gb_node gb_joint_all_log_probs(const gb_site *site)
{
    const gb_node each = log_probs_of_each(site);
    const int64_t count = gb_shape_size(gb_node_shape(each), 0),
                  batch = (int64_t)gb_shape_count(gb_dist_batch_shape(site->q));
    const gb_node flat = gb_reshape(each, gb_shape(count, batch));
    gb_node all = gb_zeros(site->q.tape, gb_shape(1));
    for (int64_t i = 0, values = 1; i < batch; i++, values *= count) {
        const gb_node one = gb_slice(flat, 1, i, i + 1);
        all = i == 0 ? gb_squeeze(one, 1)
                     : gb_reshape(gb_add(one, gb_expand(all, 0)), gb_shape(values * count));
    }
    return all;
}
