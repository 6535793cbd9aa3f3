/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimator.h"

#include "core/gradient.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

gb_estimator gb_estimator_of(const gb_estimator_type *type, const void *options)
{
    return (gb_estimator){.type = type, .options = gb_options_pack(type, options)};
}

gb_baseline gb_baseline_of(const gb_baseline_type *type, const void *options)
{
    return (gb_baseline){.type = type, .options = gb_options_pack(type, options)};
}

/* ---- for their authors ---- */

/* The axes along which a site has several numbers, and its cost one. */
static gb_axes joined(const gb_site *site, gb_axes axes)
{
    return axes & ((GB_ROWS & ~site->per) | site->particles);
}

gb_node gb_evaluation(gb_node costs, int64_t evaluation)
{
    return gb_squeeze(gb_slice(costs, 0, evaluation, evaluation + 1), 0);
}

gb_node gb_site_value(const gb_site *site, int64_t evaluation)
{
    return site->evaluations == 1 ? site->values : gb_evaluation(site->values, evaluation);
}

gb_node gb_site_sum(const gb_site *site, gb_node x)
{
    return gb_sum_over(gb_sum(x), joined(site, gb_node_axes(x)));
}

gb_node gb_site_inject(const gb_site *site, gb_node cost, gb_node l, gb_node a)
{
    const gb_axes axes = joined(site, gb_node_axes(l) | gb_node_axes(a));
    return axes ? gb_add(cost, gb_sum_over(gb_inject(gb_num(cost.tape, 0), l, a), axes))
                : gb_inject(cost, l, a);
}

gb_node gb_site_log_prob(const gb_site *site)
{
    return gb_site_sum(site, gb_log_prob(site->q, gb_own_draw(gb_stop(gb_site_value(site, 0)))));
}

gb_node gb_site_log_probs(const gb_site *site)
{
    const gb_node log_q = gb_log_prob(site->q, gb_relaxed(gb_own_draw(gb_stop(site->values))));
    const int rank = gb_node_shape(log_q).rank;
    const gb_node each = site->evaluations == 1 ? gb_sum(log_q) : gb_sum_event(log_q, rank - 1);
    return gb_sum_over(each, joined(site, gb_node_axes(each)));
}

gb_node gb_gradient_of_sum(gb_node cost, gb_node in)
{
    const gb_axes evaluations = gb_node_axes(cost) & ~gb_node_axes(in) & ~(GB_SAMPLES | GB_ROWS);
    if (evaluations) {
        gb_fail(
            cost.tape, GB_EARGUMENT,
            "gradient_of_sum: the sum would be over evaluations of other draws, without their weights; give "
            "the node their axes (gb_widen). The values of a site have them if its type needs slopes of "
            "the cost (GB_NEEDS_SMOOTH_COST, GB_NEEDS_SLOPES)");
        return (gb_node){0};
    }
    return gb_grad(gb_close_draws(gb_sum_over(gb_sum(cost), gb_node_axes(cost))), in);
}

gb_node gb_per_sample(gb_node x)
{
    return gb_sum_over(gb_sum(x), gb_node_axes(x) & GB_ROWS);
}
