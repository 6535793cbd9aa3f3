/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/expect.h"

#include "estimators/expectation/fold_impl.h"
#include "estimators/expectation/learn_impl.h"
#include "estimators/expectation/needs_impl.h"
#include "estimators/expectation/particles_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
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
    return e && gb_expect_take_bound(e, own.bound) ? e : NULL;
}

/* `particles`: axes of draws of a bound that the cost must not have. */
static bool cost_fits(gb_expect *e, gb_node cost, gb_axes particles)
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
    else if (gb_node_axes(cost) & particles)
        gb_fail(e->tape, GB_ESHAPE,
                "expected: the cost varies over the draws of the bound %s; gb_expected_bound joins them",
                e->bound.type->name);
    else
        return true;
    return false;
}

double gb_expect_evaluations(const gb_expect *e, gb_node cost)
{
    double product = 1;
    if (!e || !gb_node_ok(cost))
        return 0;
    for (gb_axes rest = gb_node_axes(cost) & ~(e->axes | GB_ROWS); rest; rest &= rest - 1)
        product *= (double)gb_site_axis_size(e->tape, rest & (~rest + 1));
    return product;
}

/* Every evaluation has been folded, unless the `combine` of one site used nodes that vary over those of
 * another. */
static bool is_folded(const gb_expect *e, gb_node folded)
{
    for (const own_site *own = e->last; own && gb_node_ok(folded); own = gb_site_before(own))
        if (gb_node_axes(folded) & own->site.axis) {
            gb_fail(
                e->tape, GB_EARGUMENT,
                "expected: the result still has one value for each evaluation of draw %s (%s). A `combine` "
                "of another draw's estimator used nodes that vary over these evaluations; it may use its "
                "cost and its own site only",
                own->site.name, own->site.estimator.type->name);
            return false;
        }
    return gb_node_ok(folded);
}

gb_node gb_sample_values(gb_expect *e, gb_node cost)
{
    if (!e || !cost_fits(e, cost, 0) || !gb_mark_sites(e, cost) || !gb_values_have_needs(e, cost))
        return (gb_node){0};
    const gb_node folded = gb_fold_values(e, cost);
    return is_folded(e, folded) ? gb_stop(gb_close_draws(gb_mean_over(folded, e->particles))) : (gb_node){0};
}

void gb_expect_has_model(gb_expect *e)
{
    if (e)
        e->has_model = true;
}

bool gb_expect_samples_independent(const gb_expect *e)
{
    for (const own_site *own = e ? e->last : NULL; own; own = gb_site_before(own))
        if (gb_site_needs(own, GB_JOINS_SAMPLES))
            return false;
    return true;
}

gb_node gb_expected(gb_expect *e, gb_node cost)
{
    if (!e || !cost_fits(e, cost, e->particles) || !gb_mark_sites(e, cost) || !gb_cost_has_needs(e))
        return (gb_node){0};
    own_result *const result = gb_tape_keep(e->tape, sizeof *result);
    if (!result)
        return (gb_node){0};
    e->costs++;
    e->learned = NULL;
    e->cost = cost;
    gb_node folded = gb_fold(e, cost);
    if (!is_folded(e, folded))
        return (gb_node){0};
    if (gb_node_axes(folded) & GB_SAMPLES)
        folded = gb_mean_over(folded, GB_SAMPLES);
    *result = (own_result){.before = e->results,
                           .node = gb_close_draws(gb_with_learned(folded, e->learned)),
                           .learned = e->learned};
    e->results = result;
    return result->node;
}

/* ---- bounds ---- */

static bool is_log_weight(gb_expect *e, gb_node l, gb_node scale)
{
    char text[GB_SHAPE_TEXT];
    if (gb_error(e->tape) != GB_OK)
        return false;
    if (!gb_node_ok(l) || l.tape != e->tape || gb_node_type(l) != GB_TYPE_REAL)
        gb_fail(e->tape, GB_ENODE, "expected_bound: the log weight is not a usable real node of this tape");
    else if (gb_node_shape(l).rank != 0)
        gb_fail(e->tape, GB_ESHAPE,
                "expected_bound: the log weight must be a scalar, and has shape %s; sum it first",
                gb_shape_text(gb_node_shape(l), text));
    else if (!gb_node_ok(scale) || scale.tape != e->tape || gb_node_type(scale) != GB_TYPE_REAL ||
             gb_node_shape(scale).rank != 0 || gb_node_axes(scale))
        gb_fail(e->tape, GB_EARGUMENT,
                "expected_bound: the scale must be one real number of this tape: gb_num(tape, 1)");
    else
        return true;
    return false;
}

static bool is_number(const gb_expect *e, gb_node value)
{
    char text[GB_SHAPE_TEXT];
    if (!gb_node_ok(value) || (gb_node_shape(value).rank == 0 && gb_node_type(value) == GB_TYPE_REAL))
        return gb_node_ok(value);
    gb_fail(e->tape, GB_ESHAPE,
            "expected_bound: the value of the bound %s has shape %s; it must be real, without the first axis "
            "of its argument",
            e->bound.type->name, gb_shape_text(gb_node_shape(value), text));
    return false;
}

gb_node gb_expected_bound(gb_expect *e, gb_node log_weight, gb_node scale)
{
    if (!e || !is_log_weight(e, log_weight, scale))
        return (gb_node){0};
    const gb_axes rows = gb_node_axes(log_weight) & GB_ROWS;
    const gb_node l = gb_widen(log_weight, gb_node_axes(log_weight) | e->particles);
    gb_node value = l;
    if (e->bound.type != &gb_evidence_bound_type)
        value = gb_particles_value(e, e->particles ? gb_reveal(l, e->particles) : gb_expand(l, 0));
    if (!is_number(e, value))
        return (gb_node){0};
    e->log_weight = e->particles ? l : (gb_node){0};
    e->scale = rows ? scale : gb_num(e->tape, 1);
    const gb_node result = gb_expected(e, rows ? gb_mul(scale, gb_sum_over(value, GB_ROWS)) : value);
    e->log_weight = (gb_node){0};
    return result;
}
