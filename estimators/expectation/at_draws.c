/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/expectation/at_draws_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/graph/replace_impl.h"
#include "core/op.h"
#include "distributions/law/replaced_impl.h"
#include "estimators/expectation/needs_impl.h"
#include "estimators/visit.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- which sites ---- */

/* Drawn values do not count: without their weights they are no draws from the distribution. */
static bool is_weighted(const own_site *own)
{
    return own->site.axis && own->site.estimator.type->expansion == GB_WEIGHTS;
}

bool gb_has_weighted_draws(const gb_expect *e)
{
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        if (is_weighted(own))
            return true;
    return false;
}

/* Returns the axes along which sites probe, or have drawn values with weights. */
static gb_axes axes_of_evaluations(const gb_expect *e)
{
    gb_axes axes = 0;
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        axes |= is_weighted(own) ? 0 : own->site.axis;
    return axes;
}

static bool is_drawn_anew(const gb_expect *e, const own_site *own, bool all)
{
    const gb_axes axes = gb_node_axes(own->site.draw);
    if (is_weighted(own))
        return all;
    const bool is_of_each_row = (axes & ~gb_dist_axes(own->q) & GB_ROWS) != 0;
    const gb_axes others = all ? ~(GB_SAMPLES | GB_ROWS | e->axes) : axes_of_evaluations(e);
    return own->site.estimator.type->relaxes || is_of_each_row || (axes & (others | e->particles));
}

/* ---- draws ---- */

static bool draw_anew(gb_at_draws *d, const own_site *own, const char *word)
{
    gb_tape *const tape = d->expect->tape;
    char name[640];
    if (snprintf(name, sizeof name, "%s.%s", own->site.name, word) >= (int)sizeof name)
        return gb_fail(tape, GB_ENAME, "draws: the name of draw %.40s … is too long", own->site.name) ==
               GB_OK;
    const gb_dist q = gb_dist_replaced(own->q, d->count, d->from, d->to);
    const gb_axes axes = d->expect->axes & ~d->expect->particles;
    const gb_node draw = gb_sample(q, gb_stream_numbered(tape, name), axes);
    d->from[d->count] = own->site.draw;
    d->to[d->count++] = draw;
    return gb_node_ok(draw);
}

/* Puts what is given before node number `before`. */
static bool put_given(gb_at_draws *d, const gb_at_draws *given, size_t *at, uint32_t before)
{
    for (; *at < given->count && given->from[*at].id < before; ++*at) {
        gb_node to = given->to[*at];
        if (gb_replaced_with_draws(d->count, d->from, d->to, 1, &to, &to) != GB_OK)
            return false;
        d->from[d->count] = given->from[*at];
        d->to[d->count++] = to;
    }
    return true;
}

bool gb_at_draws_new(gb_expect *e, bool all, const char *word, gb_at_draws given, gb_at_draws *made)
{
    size_t sites = 0, at = 0;
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        sites++;
    const own_site **const site = gb_tape_keep(e->tape, (sites + 1) * sizeof *site);
    *made = (gb_at_draws){.expect = e,
                          .from = gb_tape_keep(e->tape, (sites + given.count + 1) * sizeof(gb_node)),
                          .to = gb_tape_keep(e->tape, (sites + given.count + 1) * sizeof(gb_node))};
    if (!site || !made->from || !made->to)
        return false;
    size_t place = sites;
    for (const own_site *own = e->last; own; own = gb_site_before(own))
        site[--place] = own;
    for (size_t i = 0; i < sites; i++)
        if (!put_given(made, &given, &at, site[i]->site.draw.id) ||
            (is_drawn_anew(e, site[i], all) && !draw_anew(made, site[i], word)))
            return false;
    return put_given(made, &given, &at, UINT32_MAX) && gb_error(e->tape) == GB_OK;
}

bool gb_at_draws_fit(gb_expect *e, gb_node node, bool *mixes_rows)
{
    if (!gb_node_ok(node) || !gb_mark_sites(e, node) || !gb_values_have_needs(e, node))
        return false;
    *mixes_rows |= (e->mixed & GB_ROWS) != 0;
    return true;
}

/* Values that are enumerated do not depend on what their weights have seen: so the law is asked, too. */
const char *gb_draw_that_sees(const gb_expect *e, gb_node other)
{
    for (const own_site *own = e->last; own; own = gb_site_before(own)) {
        if (own->reached && (gb_dist_axes(own->q) & GB_ROWS) &&
            (gb_law_depends(&own->q, other) || gb_node_depends(own->site.draw, other)))
            return own->site.name;
    }
    return NULL;
}

/* ---- weighted values ---- */

/* Returns the weights of the values of a site, at the draws, for a node with these hidden axes. */
static gb_node weights_of(const gb_at_draws *d, const own_site *own, gb_axes axes)
{
    gb_site site = own->site;
    gb_tape *const tape = d->expect->tape;
    if (!GB_HAS(site.estimator.type, weights))
        gb_fail(tape, GB_EARGUMENT, "draws: %s of draw %s does not have the weights of its values",
                site.estimator.type->name, site.name);
    else if (gb_node_axes(site.draw) & ~axes & GB_ROWS)
        gb_fail(
            tape, GB_ESHAPE,
            "draws: draw %s varies over rows, and the node does not; %s needs a node that varies over rows",
            site.name, site.estimator.type->name);
    if (gb_error(tape) != GB_OK)
        return (gb_node){0};
    site.per = GB_SAMPLES | (axes & GB_ROWS);
    gb_node weights = site.estimator.type->weights(&site);
    return gb_replaced_with_draws(d->count, d->from, d->to, 1, &weights, &weights) == GB_OK ? weights
                                                                                            : (gb_node){0};
}

static gb_node weighted_mean(gb_node weights, gb_node each)
{
    return gb_sum_along(gb_chain(weights, each), gb_axis(0));
}

static gb_node weighted_log_mean(gb_node weights, gb_node each)
{
    const gb_node none = gb_num(each.tape, -(double)INFINITY);
    const gb_node occurs = gb_greater(weights, gb_num(each.tape, 0));
    return gb_logsumexp_along(gb_where(occurs, gb_add(each, gb_log(weights)), none), gb_axis(0));
}

static gb_node fold(const gb_at_draws *d, gb_node x, gb_node combine(gb_node weights, gb_node each))
{
    for (const own_site *own = d->expect->last; own && gb_node_ok(x); own = gb_site_before(own)) {
        const gb_axes axis = own->site.axis;
        if (!is_weighted(own) || !(gb_node_axes(x) & axis))
            continue;
        const gb_node each = gb_reveal(x, axis), weights = weights_of(d, own, gb_node_axes(x));
        x = combine(gb_add_axes(weights, gb_node_shape(x).rank), each);
    }
    return x;
}

gb_node gb_at_draws_mean(const gb_at_draws *d, gb_node x)
{
    return fold(d, x, weighted_mean);
}

gb_node gb_at_draws_log_mean(const gb_at_draws *d, gb_node x)
{
    return fold(d, x, weighted_log_mean);
}
