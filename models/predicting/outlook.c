/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/predicting/outlook_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/graph/replace_impl.h"
#include "core/ground/text_impl.h"
#include "core/op.h"
#include "distributions/law/replaced_impl.h"
#include "distributions/list.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- draws ---- */

/* Members of ensembles are the samples of a training. A draw takes one at random, the same one of all
 * latents: writes the points, and what stands for them. A block is one latent, as its parts are pieces of its
 * vector. Returns how many there are. */
static size_t take_members(const gb_elbo *e, gb_node *from, gb_node *to)
{
    gb_node u = {0};
    size_t count = 0, parts = 0; /* parts of the block that are still to come */
    for (const gb_kept *at = gb_elbo_ensemble(e) ? e->kept : NULL; at; at = at->before) {
        const bool is_part = parts > 0;
        parts = is_part ? parts - 1 : at->parts;
        if (is_part || !gb_node_ok(at->value) || gb_dist_ok(at->q) || !GB_HAS(at->family.type, member))
            continue;
        if (from) {
            u = gb_node_ok(u) ? u
                              : gb_uniform_noise(gb_stream_numbered(e->tape, "members.predicted"), gb_shape(),
                                                 GB_SAMPLES);
            from[count] = at->value;
            to[count] = gb_family_member(at->family, &at->slot, u);
        }
        count++;
    }
    return count;
}

/* What stands for nodes of the model, besides draws of sites, in the order of their recording. */
static bool stand_ins(const gb_elbo *e, gb_at_draws *all)
{
    const size_t layers = gb_elbo_layers(e, NULL, NULL), members = take_members(e, NULL, NULL);
    gb_node *const both = gb_tape_keep(e->tape, (2 * (layers + members) + 1) * sizeof *both);
    if (!both)
        return false;
    *all = (gb_at_draws){.count = layers + members, .from = both, .to = both + layers + members};
    gb_elbo_layers(e, all->from, all->to);
    take_members(e, all->from + layers, all->to + layers);
    for (size_t i = layers; i < all->count; i++)
        for (size_t k = i; k > 0 && all->from[k - 1].id > all->from[k].id; k--) {
            const gb_node from = all->from[k], to = all->to[k];
            all->from[k] = all->from[k - 1];
            all->to[k] = all->to[k - 1];
            all->from[k - 1] = from;
            all->to[k - 1] = to;
        }
    return gb_error(e->tape) == GB_OK;
}

gb_outlook *gb_outlook_of(gb_elbo *e)
{
    if (!gb_node_ok(gb_elbo_loss(e)))
        return NULL;
    if (e->outlook)
        return e->outlook;
    gb_outlook *const made = gb_tape_keep(e->tape, sizeof *made);
    if (!made)
        return NULL;
    *made = (gb_outlook){.q.is_same = !gb_has_weighted_draws(e->expect)};
    gb_at_draws whole;
    if (!stand_ins(e, &whole) || !gb_at_draws_new(e->expect, false, "predicted", whole, &made->q.exact) ||
        (!made->q.is_same && !gb_at_draws_new(e->expect, true, "drawn", whole, &made->q.drawn)))
        return NULL;
    if (made->q.is_same)
        made->q.drawn = made->q.exact;
    return e->outlook = made;
}

static bool is_listed_before(const gb_elbo *e, const gb_kept_outcome *outcome)
{
    const gb_kept_outcome *o = e->outcomes;
    while (o != outcome && strcmp(o->name, outcome->name) != 0)
        o = o->before;
    return o != outcome;
}

/* Names of outcomes, each once, with commas between them, as far as there is room. */
static void list_names(const gb_elbo *e, char *text, size_t size)
{
    size_t length = 0;
    for (const gb_kept_outcome *o = e->outcomes; o; o = o->before) {
        if (is_listed_before(e, o))
            continue;
        if (length + strlen(o->name) + 8 > size) {
            snprintf(text + length, size - length, ", …");
            return;
        }
        length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", o->name);
    }
}

const gb_kept_outcome *gb_outcome_named(const gb_elbo *e, const char *who, const char *name)
{
    const gb_kept_outcome *found = NULL;
    const char *nearest = NULL, *names[64];
    size_t count = 0;
    for (const gb_kept_outcome *o = e->outcomes; o && name; o = o->before) {
        if (strcmp(o->name, name) == 0 && (!found || o->is_foreseen))
            found = o;
        if (count < sizeof names / sizeof *names)
            names[count++] = o->name;
    }
    if (found)
        return found;
    nearest = name ? gb_nearest_text(name, count, names) : NULL;
    char there[200] = "";
    list_names(e, there, sizeof there);
    gb_fail(e->tape, GB_ENAME, "%s: no outcome was observed as %s%s%s%s; %s%s", who, name ? name : "(NULL)",
            nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "",
            *there ? "there are: " : "gb_observe names them, and was not called", there);
    return NULL;
}

/* ---- nodes at the draws ---- */

static gb_node placed(const gb_at_draws *at, gb_node node)
{
    gb_node there = node;
    return gb_replaced_with_draws(at->count, at->from, at->to, 1, &node, &there) == GB_OK ? there
                                                                                          : (gb_node){0};
}

static gb_node squared_around(gb_node x, gb_node centre)
{
    return gb_square(gb_sub(x, centre));
}

/* Sets the mean over weighted values of `at_draw`, and their variance. */
static void set_mean(const gb_at_draws *at, gb_node at_draw, gb_view *v)
{
    v->mean = gb_at_draws_mean(at, at_draw);
    if (gb_node_ok(v->mean) && !gb_node_same(v->mean, at_draw))
        v->spread = gb_at_draws_mean(at, squared_around(at_draw, v->mean));
}

/* ---- the law of an outcome ---- */

/* One distribution for each datum. */
static gb_dist for_each_datum(gb_dist law, gb_shape data)
{
    data.rank -= gb_dist_event_shape(law).rank;
    return gb_dist_expand(law, data);
}

static bool is_of_classes(const gb_dist *law)
{
    const gb_dist_type *const types[] = {&gb_bernoulli_type, &gb_categorical_type, &gb_ordered_logistic_type,
                                         &gb_one_hot_categorical_type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (law->type == types[i])
            return gb_dist_can(*law, GB_CAN_ENUMERATE);
    return false;
}

/* Classes of all data of a row, at most. */
enum { MOST_CLASSES = 1024 };

static void set_classes(const gb_at_draws *at, gb_dist law, gb_view *v)
{
    const gb_node values = gb_dist_enumerate(law);
    const gb_shape shape = gb_node_shape(values);
    if (!gb_node_ok(values) || shape.size[0] * (int64_t)gb_shape_count(v->batch) > MOST_CLASSES)
        return;
    gb_shape wide = gb_shape(shape.size[0]);
    for (int i = 0; i < v->batch.rank; i++)
        wide = gb_shape_join(wide, gb_shape(1));
    for (int i = 1; i < shape.rank; i++)
        wide = gb_shape_join(wide, gb_shape(shape.size[i]));
    const gb_node log_p = gb_log_prob(law, gb_reshape(values, wide)), p = gb_exp(log_p),
                  zero = gb_num(law.tape, 0), each = gb_where(gb_greater(p, zero), gb_mul(p, log_p), zero);
    v->classes = shape.size[0];
    v->probability = gb_at_draws_mean(at, p);
    v->entropy = gb_at_draws_mean(at, gb_neg(gb_sum_along(each, gb_axis(0))));
}

/* Samples and rows are the only hidden axes that a prediction may have. */
static bool is_complete(const gb_view *v)
{
    const gb_node all[] = {v->mean, v->spread, v->noise, v->log_p, v->probability, v->entropy, v->draw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (gb_node_ok(all[i]) && (gb_node_axes(all[i]) & ~(GB_SAMPLES | GB_ROWS)))
            return gb_fail(all[i].tape, GB_EARGUMENT,
                           "predictive: the outcome varies over evaluations of another expectation, and has "
                           "no one value") == GB_OK;
    return true;
}

static void set_shapes(gb_view *v, gb_node data, gb_dist law)
{
    v->shape = v->batch = gb_node_shape(data);
    v->batch.rank -= gb_dist_event_shape(law).rank;
    v->has_rows = (gb_node_axes(data) & GB_ROWS) != 0;
    v->is_discrete = gb_dist_discrete(law);
}

/* For each datum. */
static void set_weight(gb_view *v, const gb_kept_outcome *o)
{
    if (gb_node_ok(o->weight))
        v->weight = gb_broadcast_to(gb_widen(o->weight, v->has_rows ? GB_ROWS : 0), v->batch);
}

bool gb_view_outcome(const gb_standpoint *at, const gb_kept_outcome *o, gb_noise noise, gb_view *v)
{
    *v = (gb_view){.has_rows = false};
    if (!gb_at_draws_fit(at->exact.expect, o->density, &v->mixes_rows))
        return false;
    v->seen_by = gb_draw_that_sees(at->exact.expect, o->data);
    set_shapes(v, o->data, o->law);
    const gb_dist law =
        gb_dist_replaced(for_each_datum(o->law, v->shape), at->exact.count, at->exact.from, at->exact.to);
    const gb_dist drawn = at->is_same ? law
                                      : gb_dist_replaced(for_each_datum(o->law, v->shape), at->drawn.count,
                                                         at->drawn.from, at->drawn.to);
    v->data = placed(&at->exact, o->data);
    set_weight(v, o);
    if (gb_error(o->law.tape) != GB_OK)
        return false;
    v->log_p = gb_at_draws_log_mean(&at->exact, gb_log_prob(law, v->data));
    if (gb_dist_can(law, GB_CAN_MEAN))
        set_mean(&at->exact, gb_broadcast_to(gb_dist_mean(law), v->shape), v);
    if (gb_dist_can(law, GB_CAN_VARIANCE))
        v->noise = gb_at_draws_mean(&at->exact, gb_broadcast_to(gb_dist_variance(law), v->shape));
    if (is_of_classes(&law))
        set_classes(&at->exact, law, v);
    v->draw = gb_sample(drawn, noise, GB_SAMPLES | (v->has_rows ? GB_ROWS : 0));
    return gb_error(o->law.tape) == GB_OK && is_complete(v);
}

bool gb_view_node(const gb_standpoint *at, gb_node node, gb_view *v)
{
    *v = (gb_view){.shape = gb_node_shape(node),
                   .batch = gb_node_shape(node),
                   .has_rows = (gb_node_axes(node) & GB_ROWS) != 0};
    if (!gb_at_draws_fit(at->exact.expect, node, &v->mixes_rows))
        return false;
    set_mean(&at->exact, placed(&at->exact, node), v);
    v->draw = placed(&at->drawn, node);
    return gb_error(node.tape) == GB_OK && is_complete(v);
}

bool gb_view_density(const gb_standpoint *at, const gb_kept_outcome *o, gb_view *v)
{
    *v = (gb_view){.batch = gb_node_shape(o->density), .has_rows = (gb_node_axes(o->density) & GB_ROWS) != 0};
    if (!gb_at_draws_fit(at->exact.expect, o->density, &v->mixes_rows))
        return false;
    set_weight(v, o);
    v->log_p = gb_at_draws_log_mean(&at->exact, placed(&at->exact, o->density));
    return gb_node_ok(v->log_p) && is_complete(v);
}
