/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folding a site into a cost: applies `combine` of its estimator to the part of the cost that the draw
 * reaches. */
#include "estimators/expectation/fold_impl.h"
#include "estimators/expectation/needs_impl.h"

#include "core/graph/replace_impl.h"
#include "core/op.h"
#include "estimators/first_order.h"
#include "estimators/reach.h"
#include "estimators/visit.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "plugins/options/made_impl.h"

/* ---- one part of a cost ---- */

/* Returns the cost of each evaluation of a site, as a vector. */
static gb_node evaluations_of(const own_site *own, gb_node cost)
{
    const gb_site *const site = &own->site;
    const gb_node all = gb_reveal(gb_widen(cost, gb_node_axes(cost) | site->axis), site->axis);
    if (!gb_site_is_probed(own))
        return all;
    const gb_node first = gb_slice(all, 0, 0, 1);
    const gb_node others = gb_slice(all, 0, site->place, site->place + site->evaluations - 1);
    return gb_concat(2, (const gb_node[]){first, others}, 0);
}

static gb_node drop_own_path(const gb_site *site, gb_node costs)
{
    return gb_inject(costs, gb_site_log_probs(site), gb_neg(site->own_weight));
}

/* Returns the log weights of a bound at the evaluations of a cost: as it is, they do not have those of later
 * sites, which are folded. */
static gb_node log_weights_of(const own_site *own, gb_node cost)
{
    const gb_site *const site = &own->site;
    const gb_expect *const e = site->expectation;
    if (!gb_node_ok(e->log_weight))
        return e->log_weight;
    gb_node l = e->log_weight;
    const gb_axes here = gb_node_axes(cost) | site->axis | e->axes | GB_ROWS;
    for (gb_axes rest = gb_node_axes(l) & ~here; rest; rest &= rest - 1)
        l = gb_select(l, rest & (~rest + 1), 0);
    return site->evaluations == 1 ? l : evaluations_of(own, l);
}

/* An estimate with rows that its cost lacks would be counted once for each row. */
static bool is_one_cost(const gb_site *site, gb_node estimate)
{
    const gb_axes more = gb_node_axes(estimate) & (site->axis | site->particles | (GB_ROWS & ~site->per));
    if (gb_node_shape(estimate).rank == 0 && !more)
        return true;
    gb_fail(estimate.tape, GB_ESHAPE,
            "draw %s: combine of %s must return one number for each sample%s; its result has a shape, its "
            "evaluations, particles, or rows that the cost lacks (gb_site_sum sums, gb_site_inject injects a "
            "sum)",
            site->name, site->estimator.type->name, site->per & GB_ROWS ? " and row" : "");
    return false;
}

/* Returns what `combine` makes of `part`: the whole cost, or the part with one number for each row. */
static gb_node combined(const own_site *own, gb_node part, gb_axes per)
{
    gb_site site = own->site;
    const gb_estimator_type *const type = site.estimator.type;
    site.per = per;
    site.log_weight = log_weights_of(own, part);
    if (!gb_node_depends(part, site.own))
        site.own = site.own_weight = (gb_node){0};
    gb_node costs = site.evaluations == 1 ? part : evaluations_of(own, part);
    if (type->drops_own_path && gb_node_ok(site.own) && !site.particles && !gb_dist_moving_support(site.q))
        costs = drop_own_path(&site, costs);
    const gb_node estimate = type->combine(&site, costs);
    if (!gb_plugin_made(site.q.tape, estimate, site.name, type->name, "combine") ||
        !is_one_cost(&site, estimate))
        return (gb_node){0};
    return type->first_order ? gb_site_fenced(&own->site, estimate) : estimate;
}

/* Returns the combined cost of the part that the site reaches. */
static gb_node reached_part(const own_site *own, const gb_reach *reach)
{
    gb_node sum = {0};
    if (gb_node_ok(reach->whole))
        sum = combined(own, reach->whole, GB_SAMPLES);
    if (gb_node_ok(reach->rows))
        sum = gb_reach_sum(sum, gb_sum_over(combined(own, reach->rows, GB_SAMPLES | GB_ROWS), GB_ROWS));
    return sum;
}

static bool reach_of(const own_site *own, gb_node cost, gb_reach *reach)
{
    return gb_reach_of(cost, own->site.draw, reach) && gb_rows_are_separate(own, reach);
}

/* ---- sites on their own ---- */

/* What a draw does not reach may have its axis all the same, by values of a later site that takes slopes. It
 * is alike at all places. */
static gb_node at_draw(gb_axes axis, gb_node x)
{
    return gb_node_ok(x) && gb_node_axes(x) & axis ? gb_select(x, axis, 0) : x;
}

static gb_node fold_one(const own_site *own, gb_node cost)
{
    const bool combines = GB_HAS(own->site.estimator.type, combine);
    gb_reach reach;
    if (!own->reached)
        return at_draw(own->site.axis, cost);
    if (!combines && !gb_site_needs(own, GB_NEEDS_SEPARATE_ROWS))
        return cost;
    if (!reach_of(own, cost, &reach))
        return (gb_node){0};
    return combines ? gb_reach_sum(at_draw(own->site.axis, reach.rest), reached_part(own, &reach)) : cost;
}

/* ---- stars ---- */

static gb_node whole_of(const gb_reach *reach)
{
    return gb_reach_sum(reach->whole,
                        gb_node_ok(reach->rows) ? gb_sum_over(reach->rows, GB_ROWS) : (gb_node){0});
}

static bool is_in(const own_site *own, const own_star *star)
{
    return own->star == star && own->reached;
}

static size_t sites_in(const gb_expect *e, const own_star *star, const own_site **last)
{
    size_t count = 0;
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        if (is_in(own, star) && ++count == 1)
            *last = own;
    return count;
}

/* The corrections of the sites are added, so products of the scores of two sites are missing. The gradient
 * needs no such products, but a gradient of the gradient would. */
static gb_node fenced_by_all(const gb_expect *e, const own_star *star, gb_node sum)
{
    for (const own_site *own = e->last; own && gb_node_ok(sum); own = gb_site_before(own))
        if (is_in(own, star))
            sum = gb_site_fenced(&own->site, sum);
    return sum;
}

/* Returns the cost at the draws plus, for each site, the combined cost of its evaluations minus the cost at
 * the draws. */
static gb_node fold_star(const gb_expect *e, const own_star *star, gb_node cost)
{
    const own_site *only = NULL;
    gb_reach reach;
    const size_t count = sites_in(e, star, &only);
    if (count == 0)
        return at_draw(star->axis, cost);
    if (count == 1)
        return reach_of(only, cost, &reach)
                   ? gb_reach_sum(at_draw(star->axis, reach.rest), reached_part(only, &reach))
                   : (gb_node){0};
    gb_node sum = at_draw(star->axis, cost);
    for (const own_site *own = e->last; own && gb_node_ok(sum); own = gb_site_before(own)) {
        if (!is_in(own, star))
            continue;
        if (!reach_of(own, cost, &reach))
            return (gb_node){0};
        sum = gb_add(sum, gb_sub(reached_part(own, &reach), at_draw(star->axis, whole_of(&reach))));
    }
    return fenced_by_all(e, star, sum);
}

gb_node gb_fold(gb_expect *e, gb_node cost)
{
    for (own_star *star = e->stars; star; star = star->before)
        star->is_sealed = true;
    for (own_site *own = e->last; own && gb_node_ok(cost); own = gb_site_before(own)) {
        if (!gb_cost_is_smooth(own, cost))
            return (gb_node){0};
        if (!own->star)
            cost = fold_one(own, cost);
        for (const own_star *star = e->stars; star; star = star->before)
            if (star->creator == own)
                cost = fold_star(e, star, cost);
    }
    return cost;
}

static double probes_of(const gb_expect *e, gb_node x)
{
    double product = 1;
    for (const own_star *star = e->stars; star; star = star->before)
        if (gb_node_axes(x) & star->axis)
            product *= (double)gb_site_axis_size(e->tape, star->axis);
    return product;
}

gb_node gb_without_evaluations(gb_expect *e, gb_node x)
{
    enum { FEW = 16 };
    size_t sites = 0, count = 0;
    if (probes_of(e, x) <= FEW)
        return x;
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        sites++;
    gb_node *const from = gb_tape_keep(e->tape, 2 * sites * sizeof *from);
    for (const own_site *own = e->last; from && own; own = gb_site_before(own)) {
        gb_node at = own->site.draw;
        for (const own_star *star = e->stars; star; star = star->before)
            at = at_draw(star->axis, at);
        from[count] = own->site.draw;
        from[sites + count] = at;
        count += !gb_node_same(at, own->site.draw);
    }
    return from && gb_replaced_with_draws(count, from, from + sites, 1, &x, &x) == GB_OK ? x : (gb_node){0};
}

gb_node gb_fold_values(gb_expect *e, gb_node cost)
{
    cost = gb_without_evaluations(e, cost);
    for (own_site *own = e->last; own && gb_node_ok(cost); own = gb_site_before(own)) {
        if (gb_site_is_weighted(own))
            cost = fold_one(own, cost);
        for (const own_star *star = e->stars; star; star = star->before)
            if (star->creator == own)
                cost = at_draw(star->axis, cost);
    }
    return cost;
}
