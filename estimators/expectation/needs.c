/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/expectation/needs_impl.h"

#include <stdio.h>
#include <string.h>

#include "estimators/list.h"
#include "estimators/smooth.h"
#include "ops/control.h"

/* ---- of the distribution ---- */

static unsigned needs_of(const gb_estimator_type *type, const void *options)
{
    return type->needs | (options && GB_HAS(type, needs_with) ? type->needs_with(options) : 0);
}

unsigned gb_estimator_needs(gb_estimator estimator)
{
    gb_option_block block;
    if (!estimator.type)
        return 0;
    const void *const options = gb_options_unpack(estimator.type, &estimator.options, &block);
    return needs_of(estimator.type, options);
}

static const char *lacking(const gb_estimator_type *type, gb_dist q, const void *options)
{
    const unsigned needs = needs_of(type, options);
#define GB_LACKS_ABILITY(slot, name, words)                                                                  \
    if ((needs & GB_NEEDS(name)) && !gb_dist_can(q, name))                                                   \
        return words;
    GB_ABILITY_LIST(GB_LACKS_ABILITY)
#undef GB_LACKS_ABILITY
    if ((needs & GB_NEEDS_FIXED_SUPPORT) && gb_dist_moving_support(q))
        return "support that does not depend on the parameters";
    return GB_HAS(type, lacks) ? type->lacks(&q, options) : NULL;
}

static const char NOT_GIVEN[] = "estimator and distribution that have a type";

const char *gb_estimator_lacks(gb_estimator estimator, gb_dist distribution)
{
    gb_option_block block;
    if (!estimator.type || !distribution.type)
        return NOT_GIVEN;
    const void *const options = gb_options_unpack(estimator.type, &estimator.options, &block);
    return lacking(estimator.type, distribution, options);
}

const char *gb_estimator_type_lacks(const gb_estimator_type *type, gb_dist distribution)
{
    return type && distribution.type ? lacking(type, distribution, NULL) : NOT_GIVEN;
}

/* ---- of the cost, before folding ---- */

bool gb_site_needs(const own_site *own, unsigned need)
{
    return (needs_of(own->site.estimator.type, own->site.options) & need) != 0;
}

bool gb_site_takes_slopes(const own_site *own)
{
    return gb_site_needs(own, GB_NEEDS_SMOOTH_COST | GB_NEEDS_SLOPES);
}

static bool reject_joint_samples(const own_site *own)
{
    gb_fail(own->site.q.tape, GB_EARGUMENT,
            "expected: the cost of one sample depends on other samples (a sum or mean over them), and %s of "
            "draw %s needs costs that do not",
            own->site.estimator.type->name, own->site.name);
    return false;
}

/* Draws that depend on a draw without a path for its gradient. */
static const own_site *later_without_path(const own_site *own)
{
    const own_site *found = NULL;
    for (const own_site *at = own->site.expectation->last; at && at != own; at = gb_site_before(at))
        if (at->reached && !gb_site_needs(at, GB_NEEDS(GB_CAN_RSAMPLE)) &&
            gb_law_depends(&at->q, own->site.draw))
            found = at;
    return found;
}

enum { LIST = 384 };

/* Names the estimators that fit the draw and have none of these needs. */
static const char *those_without(unsigned needs, const own_site *own, char text[LIST])
{
    size_t used = 0;
    const gb_plugin *member;
    text[0] = '\0';
    for (size_t i = 0; (member = gb_kind_at(&gb_estimator_kind, i)); i++) {
        const gb_estimator_type *const type = (const void *)member;
        const bool is_weighted = type->expansion == GB_WEIGHTS || type->expansion == GB_DRAWN_WEIGHTS;
        if ((type->needs & needs) || is_weighted || gb_estimator_type_lacks(type, own->site.q) ||
            used + strlen(type->name) + 3 > LIST)
            continue;
        used += (size_t)snprintf(text + used, LIST - used, "%s%s", used ? ", " : "", type->name);
    }
    return used ? text : "none";
}

/* A bound of several draws is no sum over them, and one evaluation is for all of them at once. */
static bool fits_particles(const own_site *own)
{
    char fitting[LIST];
    const gb_expect *const e = own->site.expectation;
    const char *const name = own->site.name, *const type = own->site.estimator.type->name;
    const own_site *const later = gb_site_needs(own, GB_NEEDS_LATER_PATHS) ? later_without_path(own) : NULL;
    if (gb_site_needs(own, GB_NEEDS_BOUND) && !gb_node_ok(e->log_weight))
        gb_fail(e->tape, GB_EARGUMENT,
                "expected: %s of draw %s needs a bound of several draws: gb_expect_new or gb_elbo_new with "
                ".bound = gb_iwae(.draws = 5), and gb_expected_bound",
                type, name);
    else if (e->particles && (gb_site_is_weighted(own) || gb_site_needs(own, GB_NEEDS_SEPARATE_ROWS)))
        gb_fail(e->tape, GB_EARGUMENT,
                "expected: %s of draw %s takes one draw after the other, and the bound %s is no sum over its "
                "%lld (these fit a bound: %s)",
                type, name, e->bound.type->name, (long long)gb_site_axis_size(e->tape, e->particles),
                those_without(GB_NEEDS_SEPARATE_ROWS | GB_NEEDS_MODEL, own, fitting));
    else if (gb_site_needs(own, GB_NEEDS_MODEL) && !e->has_model)
        gb_fail(e->tape, GB_EARGUMENT,
                "expected: %s of draw %s leaves q to the model of a gb_elbo, and this is none", type, name);
    else if (later)
        gb_fail(e->tape, GB_EARGUMENT,
                "expected: %s of draw %s needs paths through the draws that depend on it, and %s of draw %s "
                "has none (pathwise and dreg have)",
                type, name, later->site.estimator.type->name, later->site.name);
    else
        return true;
    return false;
}

static bool is_met(const own_site *own, gb_axes mixed)
{
    if (!fits_particles(own))
        return false;
    if ((mixed & GB_SAMPLES) && gb_site_needs(own, GB_NEEDS_SEPARATE_SAMPLES))
        return reject_joint_samples(own);
    if (!gb_site_needs(own, GB_NEEDS_OWN_LOG_PROB) || own->own_held)
        return true;
    gb_fail(own->site.q.tape, GB_EARGUMENT,
            "expected: %s of draw %s needs its log q in the cost, by gb_draw_log_prob; this cost has none",
            own->site.estimator.type->name, own->site.name);
    return false;
}

bool gb_cost_has_needs(const gb_expect *e)
{
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        if (own->reached && !is_met(own, e->mixed))
            return false;
    return gb_error(e->tape) == GB_OK;
}

/* A node without rows is a cost, and its folding shows whether it is a sum over rows. */
static bool has_right_values(const own_site *own, gb_axes mixed, gb_node node)
{
    const bool is_weighted = gb_site_is_weighted(own);
    const gb_axes by_row = gb_node_axes(own->site.draw) & gb_node_axes(node) & GB_ROWS;
    if (!is_weighted && !gb_site_needs(own, GB_JOINS_SAMPLES))
        return true;
    if ((mixed & GB_SAMPLES) && gb_site_needs(own, GB_NEEDS_SEPARATE_SAMPLES))
        return reject_joint_samples(own);
    if (!is_weighted || !(mixed & by_row) || !gb_site_needs(own, GB_NEEDS_SEPARATE_ROWS))
        return true;
    gb_fail(node.tape, GB_EARGUMENT,
            "draws: the node of one row depends on draws of other rows (a sum or mean over them), and %s of "
            "draw %s needs nodes that do not",
            own->site.estimator.type->name, own->site.name);
    return false;
}

bool gb_values_have_needs(const gb_expect *e, gb_node node)
{
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        if (own->reached && !has_right_values(own, e->mixed, node))
            return false;
    return gb_error(e->tape) == GB_OK;
}

/* ---- of the cost, while folding ---- */

/* When later sites are folded, the cost depends on the draw also through injected terms, by the parameters of
 * these sites. */
bool gb_cost_is_smooth(const own_site *own, gb_node cost)
{
    const gb_op *jump;
    if (!gb_site_needs(own, GB_NEEDS_SMOOTH_COST) || gb_is_smooth(cost, own->site.draw, &jump))
        return true;
    if (jump == &gb_moving_support_op)
        gb_fail(
            cost.tape, GB_EARGUMENT,
            "expected: %s of draw %s needs a cost that is smooth in it, and the ends of a distribution's "
            "support depend on the draw: its log_prob jumps to -inf where an end passes a value (score "
            "needs only values; if the draw's own support keeps all values inside, mark the log_prob with "
            "gb_continuous)",
            own->site.estimator.type->name, own->site.name);
    else if (jump)
        gb_fail(cost.tape, GB_EARGUMENT,
                "expected: %s of draw %s needs a cost that is smooth in it, and %s jumps (score needs only "
                "values; if the cost is continuous nevertheless, mark it with gb_continuous)",
                own->site.estimator.type->name, own->site.name, jump->name);
    return false;
}

/* A later draw for all rows: its folding multiplies its score by the costs of all rows, which depend on the
 * draws of all rows. If it is drawn first, it is folded last. */
static const own_site *later_for_all_rows(const own_site *own)
{
    const own_site *found = NULL;
    for (const own_site *site = own->site.expectation->last; site && site != own; site = gb_site_before(site))
        if (site->reached && !(gb_node_axes(site->site.draw) & GB_ROWS))
            found = site;
    return found;
}

bool gb_rows_are_separate(const own_site *own, const gb_reach *reach)
{
    if (!gb_node_ok(reach->whole) || !(gb_node_axes(own->site.draw) & GB_ROWS) ||
        !gb_site_needs(own, GB_NEEDS_SEPARATE_ROWS))
        return true;
    char order[256] = "", fitting[LIST];
    const own_site *const later = later_for_all_rows(own);
    if (later)
        snprintf(
            order, sizeof order,
            ". Draw %.40s, one for all rows, was drawn later, and its gradient joins the rows: draw %.40s "
            "before %.40s",
            later->site.name, later->site.name, own->site.name);
    gb_fail(own->site.q.tape, GB_EARGUMENT,
            "expected: draw %s varies over rows, and %s needs a cost that is a sum over rows which do not "
            "depend on each other's draws; this one is not%s%s (these need no such sum: %s)",
            own->site.name, own->site.estimator.type->name, order, later ? ", or take another estimator" : "",
            those_without(GB_NEEDS_SEPARATE_ROWS | GB_NEEDS_MODEL | GB_NEEDS_BOUND, own, fitting));
    return false;
}
