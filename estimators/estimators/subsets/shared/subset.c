/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/subsets/shared/subset_impl.h"

#include "estimators/estimators/shared/joint_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "ops/take.h"

enum { C, BASELINES };

gb_ranking gb_ranking_of(const gb_site *site, bool perturbed)
{
    const gb_node values = gb_joint_values(site), log_p = gb_stop(gb_joint_all_log_probs(site));
    const int64_t count = gb_joint_count(site);
    const gb_node key =
        perturbed ? gb_add(log_p, gb_gumbel_noise(site->noise, gb_shape(count), site->axes)) : log_p;
    const gb_node place = gb_argsort(key, 0);
    return (gb_ranking){.count = count,
                        .values = values,
                        .place = place,
                        .p = gb_exp(gb_take_along(log_p, place, 0)),
                        .key = gb_take_along(key, place, 0)};
}

int64_t gb_subset_evaluations(const gb_site *site, int64_t most)
{
    const int64_t count = gb_joint_count(site);
    return count < most ? count : most;
}

gb_node gb_subset_draw(gb_site *site, const gb_ranking *all, gb_node places, gb_node c, gb_node baselines)
{
    const gb_node values = gb_gather(all->values, 0, places);
    site->kept[C] = gb_stop(c);
    site->kept[BASELINES] = gb_stop(baselines);
    return gb_stop(gb_widen(site->evaluations == 1 ? gb_squeeze(values, 0) : values, site->axes));
}

gb_node gb_subset_matrix(gb_node others, gb_node own)
{
    const gb_node is_own = gb_eye(own.tape, gb_node_shape(own).size[0]), half = gb_num(own.tape, 0.5);
    return gb_where(gb_greater(is_own, half), gb_expand(own, -1), others);
}

static gb_node probs_of(const gb_site *site)
{
    return gb_exp(gb_joint_log_probs(site, site->values));
}

gb_node gb_subset_weights(const gb_site *site)
{
    return gb_mul(probs_of(site), site->kept[C]);
}

/* A baseline does not depend on whether its own value was drawn, so in the mean it multiplies Σ ∂p = 0. So
 * does the weight of log q in the cost, the gradient of which at fixed draws has the mean 0. */
gb_node gb_subset_combine(const gb_site *site, gb_node costs)
{
    if (site->evaluations == 1)
        return costs;
    const gb_node p = probs_of(site), zero = gb_num(costs.tape, 0);
    const gb_node f = gb_continuous_in(gb_where(gb_greater(p, zero), costs, zero), 2, (gb_node[]){p, costs});
    gb_node baseline = gb_sum_along(gb_mul(site->kept[BASELINES], gb_expand(f, 0)), gb_axis(1));
    if (gb_node_ok(site->own))
        baseline = gb_add(baseline, site->own_weight);
    const gb_node sum = gb_sum(gb_mul(gb_mul(p, site->kept[C]), f));
    return gb_inject(sum, p, gb_neg(gb_mul(site->kept[C], baseline)));
}
