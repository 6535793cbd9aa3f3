/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline at work inside an estimator. */
#include "estimators/baselines/call_impl.h"

#include "core/op.h"
#include "estimators/baselines/others_impl.h"
#include "estimators/visit.h"
#include "ops/control.h"

static const void *options_of(const gb_baseline *baseline, gb_option_block *block)
{
    return gb_options_unpack(baseline->type, &baseline->options, block);
}

const char *gb_baseline_lacks(gb_baseline baseline, gb_dist q)
{
    gb_option_block block;
    return GB_HAS(baseline.type, lacks) ? baseline.type->lacks(&q, options_of(&baseline, &block)) : NULL;
}

int64_t gb_baseline_evaluations(gb_baseline baseline, const gb_site *site)
{
    gb_option_block block;
    return GB_HAS(baseline.type, evaluations)
               ? baseline.type->evaluations(site, options_of(&baseline, &block))
               : 0;
}

gb_node gb_baseline_values(gb_baseline baseline, const gb_site *site, gb_node draw)
{
    gb_option_block block;
    return gb_stop(baseline.type->values(site, options_of(&baseline, &block), draw));
}

gb_node gb_baseline_expected(gb_baseline baseline, const gb_site *site, gb_node cost)
{
    gb_option_block block;
    return GB_HAS(baseline.type, expected)
               ? baseline.type->expected(site, options_of(&baseline, &block), cost)
               : (gb_node){0};
}

/* ---- samples that depend on each other ---- */

typedef struct search {
    gb_node draw;
    bool in_pairs, is_found;
} search;

static bool joins_samples(gb_node node)
{
    bool of_samples = false;
    for (size_t i = 0; i < gb_node_arguments(node); i++)
        of_samples |= (gb_node_axes(gb_node_argument(node, i)) & GB_SAMPLES) != 0;
    return of_samples && !(gb_node_axes(node) & GB_SAMPLES);
}

/* The mean over other pairs is left as it is. */
static bool find_other_samples(void *context, gb_node node)
{
    search *const s = context;
    if (s->in_pairs && gb_is_of_other_pairs(node))
        return false;
    s->is_found |= joins_samples(node) && gb_node_depends(node, s->draw);
    return !s->is_found;
}

static bool keeps_samples_apart(const gb_baseline *baseline, const gb_site *site, gb_node value)
{
    const unsigned needs = gb_estimator_needs(site->estimator);
    search s = {.draw = site->draw, .in_pairs = (needs & GB_JOINS_PAIRS) != 0};
    if (!(needs & GB_JOINS_SAMPLES) || !gb_node_ok(value) ||
        gb_visit(value, find_other_samples, &s) != GB_OK || !s.is_found)
        return true;
    gb_fail(
        site->q.tape, GB_EARGUMENT,
        "draw %s: the baseline %s is made of other samples of the run, and the draws of %s depend on each "
        "other, which would bias the gradient (these fit: gb_moving_average(), gb_fitted(), "
        "gb_learned_baseline(); gb_leave_one_out() for independent draws or antithetic pairs)",
        site->name, baseline->type->name, site->estimator.type->name);
    return false;
}

gb_node gb_baseline_value(gb_baseline baseline, const gb_site *site, gb_node cost)
{
    gb_option_block block;
    const gb_node value = baseline.type->value(site, options_of(&baseline, &block), cost);
    return keeps_samples_apart(&baseline, site, value) ? gb_stop(value) : (gb_node){0};
}

/* ---- the cost at the draw alone ---- */

gb_site gb_site_at_draw(const gb_site *site)
{
    gb_site own = *site;
    own.values = gb_site_value(site, 0);
    own.evaluations = 1;
    return own;
}

gb_node gb_baseline_value_at_draw(gb_baseline baseline, const gb_site *site, gb_node cost, const char *place)
{
    const gb_site own = gb_site_at_draw(site);
    const bool evaluates = gb_baseline_evaluations(baseline, &own) > 0;
    const gb_node value = evaluates ? (gb_node){0} : gb_baseline_value(baseline, &own, cost);
    if (evaluates || gb_node_ok(gb_baseline_expected(baseline, &own, cost)))
        gb_fail(
            cost.tape, GB_EARGUMENT,
            "draw %s: the baseline %s evaluates the cost at values of its own, or depends on the draw, and "
            "%s has no place for that (gb_delta() may be the first of a sum, in gb_score)",
            site->name, baseline.type->name, place);
    return gb_error(cost.tape) == GB_OK ? value : (gb_node){0};
}
