/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/expect.h"

#include "estimators/expectation/fold_impl.h"
#include "estimators/expectation/learn_impl.h"
#include "ops/control.h"
#include "ops/reduce.h"

gb_expect *gb_expect_new_with(gb_tape *tape, const gb_expect_options *options)
{
    gb_expect_options own;
    if (!gb_options_take(tape, "expect", &own, sizeof own, options))
        return NULL;
    if (own.samples != 0)
        gb_tape_set_samples(tape, own.samples);
    gb_expect *e = gb_tape_keep(tape, sizeof *e);
    if (e)
        *e = (gb_expect){.tape = tape, .axes = GB_SAMPLES | own.axes};
    return e;
}

static bool cost_fits(gb_expect *e, gb_node cost)
{
    char text[GB_SHAPE_TEXT];
    if (gb_error(e->tape) != GB_OK)
        return false;
    if (!gb_node_ok(cost) || cost.tape != e->tape)
        gb_fail(e->tape, GB_ENODE, "expected: the cost is not a usable node of this tape");
    else if (gb_node_type(cost) != GB_TYPE_REAL)
        gb_fail(e->tape, GB_ETYPE, "expected: the cost is not real (gb_to_real makes it so)");
    else if (gb_node_shape(cost).rank != 0)
        gb_fail(e->tape, GB_ESHAPE, "expected: the cost must be a scalar, and has shape %s; sum it first",
                gb_shape_text(gb_node_shape(cost), text));
    else if (gb_node_axes(cost) & GB_ROWS)
        gb_fail(e->tape, GB_ESHAPE,
                "expected: the cost varies over more than the samples; sum over the rows first");
    else
        return true;
    return false;
}

static unsigned needs_of(const gb_site *site)
{
    const gb_estimator_type *const type = site->estimator.type;
    return type->needs | (GB_HAS(type, needs_with) ? type->needs_with(site->options) : 0);
}

/* Checks the needs of the estimators that can be seen before folding. */
static bool needs_are_met(gb_expect *e)
{
    for (const own_site *own = e->last; own && gb_error(e->tape) == GB_OK; own = gb_site_before(own)) {
        const gb_estimator_type *const type = own->site.estimator.type;
        if (!own->reached)
            continue;
        if (e->mixed && (needs_of(&own->site) & GB_NEEDS_SEPARATE_SAMPLES))
            gb_fail(e->tape, GB_EARGUMENT,
                    "expected: the cost of one sample depends on other samples (a sum or mean over them), "
                    "and %s of draw %s needs costs that do not",
                    type->name, own->site.name);
        if ((type->needs & GB_NEEDS_OWN_LOG_PROB) && !own->own_held)
            gb_fail(e->tape, GB_EARGUMENT,
                    "expected: %s of draw %s needs its log q in the cost, by gb_draw_log_prob; this cost has "
                    "none",
                    type->name, own->site.name);
    }
    return gb_error(e->tape) == GB_OK;
}

gb_node gb_sample_values(gb_expect *e, gb_node cost)
{
    if (!e || !cost_fits(e, cost) || !gb_mark_sites(e, cost))
        return (gb_node){0};
    return gb_stop(gb_close_draws(gb_fold_values(e, cost)));
}

bool gb_expect_samples_independent(const gb_expect *e)
{
    for (const own_site *own = e ? e->last : NULL; own; own = gb_site_before(own))
        if (needs_of(&own->site) & GB_JOINS_SAMPLES)
            return false;
    return true;
}

gb_node gb_expected(gb_expect *e, gb_node cost)
{
    if (!e || !cost_fits(e, cost) || !gb_mark_sites(e, cost) || !needs_are_met(e))
        return (gb_node){0};
    own_result *const result = gb_tape_keep(e->tape, sizeof *result);
    if (!result)
        return (gb_node){0};
    e->costs++;
    e->learned = NULL;
    e->cost = cost;
    const gb_node folded = gb_mean_over(gb_fold(e, cost), GB_SAMPLES);
    *result = (own_result){.before = e->results, .node = gb_close_draws(gb_with_learned(folded, e->learned))};
    e->results = result;
    return result->node;
}
