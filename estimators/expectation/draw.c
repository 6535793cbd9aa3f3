/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws and their sites: which estimators fit, where the evaluations lie, and log q. */
#include <string.h>

#include "core/graph/streams_impl.h"
#include "core/op.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/expectation/needs_impl.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/spread.h"
#include "plugins/options/made_impl.h"

/* ---- checking that estimator and distribution fit ---- */

/* Names an estimator that fits; `of` is the one that was given, and needs other options. */
static const char *name_of(const gb_estimator_type *type, const gb_estimator_type *of, char text[80])
{
    if (type != of)
        return type->name;
    snprintf(text, 80, "%s with other options", type->name);
    return text;
}

static void reject(gb_expect *e, const char *name, gb_estimator estimator, gb_dist q)
{
    char fitting[320] = "", own[80], text[200] = "";
    size_t used = 0;
    const gb_plugin *member;
    const unsigned lacking = (e->particles ? 0 : GB_NEEDS_BOUND) | (e->has_model ? 0 : GB_NEEDS_MODEL);
    for (size_t i = 0; (member = gb_kind_at(&gb_estimator_kind, i)); i++) {
        const gb_estimator_type *const type = (const void *)member;
        const char *const one = name_of(type, estimator.type, own);
        if ((type->needs & lacking) || gb_estimator_type_lacks(type, q) ||
            used + strlen(one) + 3 > sizeof fitting)
            continue;
        used += (size_t)snprintf(fitting + used, sizeof fitting - used, "%s%s", used ? ", " : "", one);
    }
    const bool by_options = !gb_estimator_type_lacks(estimator.type, q);
    if (by_options)
        gb_estimator_text(estimator, text, sizeof text);
    gb_fail(e->tape, GB_EARGUMENT, "draw %s: %s needs a %s; %s has none. These fit: %s", name,
            by_options ? text : estimator.type->name, gb_estimator_lacks(estimator, q), q.type->name,
            used ? fitting : "nothing");
}

static bool options_fit(gb_expect *e, const char *name, const gb_estimator *estimator)
{
    gb_option_block block;
    return gb_options_use(e->tape, "draw", name, &gb_estimator_kind, estimator->type, &estimator->options,
                          &block) != NULL;
}

static bool site_fits(gb_expect *e, const char *name, gb_dist q, gb_estimator estimator)
{
    if (gb_error(e->tape) != GB_OK)
        return false;
    if (!name || !*name)
        gb_fail(e->tape, GB_ENAME, "draw: a name is required");
    else if (!gb_dist_ok(q) || q.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT, "draw %s: no distribution of this tape was given", name);
    else if (!estimator.type)
        gb_fail(e->tape, GB_EARGUMENT, "draw %s: no estimator was given (gb_pathwise(), gb_score() …)", name);
    else if (options_fit(e, name, &estimator) && gb_estimator_lacks(estimator, q))
        reject(e, name, estimator, q);
    return gb_error(e->tape) == GB_OK;
}

/* ---- drawing ---- */

/* Returns whether sites may depend on probes of this one in its star. Its combine must use values of the
 * costs at its probes only: their gradients lack what later sites of the star add, since these are not probed
 * there. */
static bool probes_values(const own_site *own)
{
    return own->site.estimator.type->first_order && !gb_site_takes_slopes(own);
}

/* Returns whether all that a site depends on can be taken at the draws of a star. */
static bool can_follow(const own_site *own)
{
    return own->site.estimator.type->first_order && !own->site.q.base && !own->site.q.transform;
}

/* Returns whether a site that depends on a probed one is relaxed at its probes. Then the path through it is
 * part of the slopes there. */
static bool is_relaxed_by(const own_site *probed, const own_site *own)
{
    return gb_site_needs(probed, GB_RELAXES_LATER) && GB_HAS(own->site.estimator.type, relaxed);
}

/* Returns whether a site may depend on probes of another one in its star. */
static bool may_depend(const own_site *own, const own_site *probed)
{
    return can_follow(own) &&
           (probes_values(probed) || is_relaxed_by(probed, own) || gb_site_is_probed_with(probed, own));
}

/* Returns whether the hidden axis of a site is folded at the site itself. That of a star is, at its
 * creator. */
static bool folds_axis(const own_site *own)
{
    return own->site.axis && (!own->star || own->star->creator == own);
}

/* The members of a star are folded together, after all sites drawn since the star began. So a site that
 * depends on one of these may join only if that draw is a member, and both fit. Values that carry the axes of
 * all earlier sites (`apart`) may not join either where one of these axes is folded before the star: they
 * would bring it back. */
static bool can_join(const gb_expect *e, const own_star *star, const own_site *site)
{
    const bool takes_slopes = gb_site_takes_slopes(site);
    for (const own_site *own = e->last; own; own = gb_site_before(own)) {
        if (own->reached && !(own->star == star && may_depend(site, own)))
            return false;
        if (takes_slopes && folds_axis(own) && own->site.axis != star->axis)
            return false;
        if (own == star->creator)
            return true;
    }
    return false;
}

static own_star *star_for(gb_expect *e, own_site *own)
{
    gb_site *const site = &own->site;
    if (!gb_mark_sites_of(e, &site->q))
        return NULL;
    own_star *oldest = NULL;
    for (own_star *star = e->stars; star; star = star->before)
        if (!star->is_sealed && can_join(e, star, own))
            oldest = star;
    if (oldest)
        return oldest;
    own_star *const star = gb_tape_keep(e->tape, sizeof *star);
    if (!star)
        return NULL;
    *star = (own_star){.before = e->stars, .axis = gb_site_axis(e->tape, site->name, 1), .creator = own};
    e->stars = star;
    return star->axis ? star : NULL;
}

/* ---- places in a star ---- */

/* Takes the site as it is at the draws of its star; evaluations at common places as they are there. */
static void settle(own_site *own)
{
    gb_site *const site = &own->site;
    const gb_node values = site->values;
    for (size_t i = 0; i < GB_MAX_PARAMS; i++)
        if (gb_node_ok(site->q.param[i]))
            site->q.param[i] = gb_select(site->q.param[i], site->axis, 0);
    for (size_t i = 0; i < GB_SITE_KEEPS; i++)
        if (gb_node_ok(site->kept[i]))
            site->kept[i] = gb_select(site->kept[i], site->axis, 0);
    if (!gb_site_is_probed_with(own, own)) {
        site->values = gb_select(values, site->axis, 0);
        return;
    }
    site->values = gb_select(gb_slice(values, 0, 0, 1), site->axis, 0);
    for (int64_t i = 1; i < site->evaluations; i++) {
        const gb_node there = gb_select(gb_slice(values, 0, i, i + 1), site->axis, site->place + i - 1);
        site->values = gb_concat(2, (const gb_node[]){site->values, there}, 0);
    }
}

static gb_node is_before(const gb_site *site, int64_t place)
{
    gb_tape *const tape = site->q.tape;
    return gb_less(gb_axis_index(tape, site->axis), gb_num(tape, (double)place));
}

/* The draw of a site at the places of its star so far: relaxed at those of members that relax it. */
static gb_node draw_there(const gb_expect *e, const own_site *own)
{
    const gb_site *const site = &own->site;
    const gb_node draw = gb_site_value(site, 0);
    gb_node there = draw, relaxed = {0};
    for (const own_site *member = e->last; member; member = gb_site_before(member)) {
        if (member->star != own->star || !member->reached || !is_relaxed_by(member, own))
            continue;
        const int64_t first = member->site.place, end = first + member->site.evaluations - 1;
        relaxed = gb_node_ok(relaxed) ? relaxed : site->estimator.type->relaxed(site);
        there = gb_where(is_before(site, first), there, gb_where(is_before(site, end), relaxed, there));
    }
    return there;
}

/* A site that depends on members of its star: at their places it has its draw there, at its own its
 * evaluations at the draws, and at all others its draw. `places` are those that the star had without it. */
static gb_node follow(const gb_expect *e, own_site *own, int64_t places)
{
    gb_site *const site = &own->site;
    const gb_node there = draw_there(e, own);
    settle(own);
    const gb_node spread = gb_spread(site->values, site->axis, site->place);
    const int64_t end = site->place + site->evaluations - 1;
    const gb_node later = places > end ? gb_where(is_before(site, places), there, spread) : spread;
    return gb_where(is_before(site, site->place), there,
                    places > end ? gb_where(is_before(site, end), spread, later) : spread);
}

/* Returns the place of evaluations that earlier sites of the star have together with this one; 0: none. */
static int64_t common_place(const gb_expect *e, const own_site *own)
{
    for (const own_site *other = e->last; other; other = gb_site_before(other))
        if (other->star == own->star && gb_site_is_probed_with(other, own))
            return other->site.place;
    return 0;
}

/* Gives a site its places in its star. Returns its values along the star. */
static gb_node join(gb_expect *e, own_site *own)
{
    gb_site *const site = &own->site;
    const int64_t places = gb_site_axis_size(e->tape, site->axis), common = common_place(e, own);
    site->place = common ? common : places;
    if (!common && gb_site_axis_grow(e->tape, site->axis, site->evaluations - 1) != GB_OK)
        return (gb_node){0};
    return gb_node_axes(site->values) & site->axis ? follow(e, own, places)
                                                   : gb_spread(site->values, site->axis, site->place);
}

/* Slopes in a value that lacks a hidden axis of the cost are summed along that axis: over evaluations of
 * another site, without their weights. So values that are differentiated in carry the axes of all earlier
 * sites, and each evaluation of those has slopes of its own. Later sites are folded first. */
static gb_node apart(const own_site *own, const gb_expect *e, gb_node values)
{
    gb_axes axes = gb_node_axes(values);
    if (!gb_site_takes_slopes(own))
        return values;
    for (const own_site *other = e->last; other; other = gb_site_before(other))
        axes |= other->site.axis & ~own->site.axis;
    return gb_widen(values, axes);
}

/* Moves the evaluations of a site to a hidden axis. */
static gb_node expand(gb_expect *e, own_site *own)
{
    gb_site *const site = &own->site;
    if (site->evaluations == 1)
        return site->values;
    if (gb_site_is_weighted(own)) {
        site->axis = gb_site_axis(e->tape, site->name, site->evaluations);
        /* The same values in each row, but choices of their own. */
        site->values = gb_widen(site->values, gb_node_axes(site->values) | (site->axes & GB_ROWS));
        return gb_hide(site->values, site->axis);
    }
    own->star = star_for(e, own);
    if (!own->star)
        return (gb_node){0};
    site->axis = own->star->axis;
    site->values = apart(own, e, site->values);
    return join(e, own);
}

/* Products of independent distributions have the draws of their base. */
static gb_dist without_products(gb_dist q)
{
    while (q.type == &gb_independent_type && q.base)
        q = *q.base;
    return q;
}

static bool make_values(gb_expect *e, own_site *own)
{
    gb_site *const site = &own->site;
    const gb_estimator_type *const type = site->estimator.type;
    site->evaluations = type->expansion == GB_ONE_EVALUATION ? 1 : type->evaluations(site);
    if (gb_error(e->tape) != GB_OK)
        return false;
    if (site->evaluations < 1 || site->evaluations > INT32_MAX) {
        gb_fail(e->tape, GB_ELIMIT, "draw %s: %s would take %lld evaluations of the cost", site->name,
                type->name, (long long)site->evaluations);
        return false;
    }
    own->within = e->drawing;
    e->drawing = own;
    site->values = type->draw(site);
    e->drawing = own->within;
    return gb_plugin_made(e->tape, site->values, site->name, type->name, "draw");
}

/* The draws that follow on the evaluations of a star have the same noise at all of them. So the differences
 * of costs, which the gradients are made of, are not those of independent draws. Weighted values keep
 * independent draws: their sum is a mean over them. */
static void share_noise(const gb_expect *e, const gb_site *site)
{
    gb_axes shared = e->again ? e->again->common : 0;
    for (const own_star *star = e->stars; star; star = star->before)
        shared |= star->axis;
    if (shared)
        gb_noise_share(site->noise, shared);
}

/* A recording that is made again may have the noise of the first one. */
static gb_noise noise_of(const gb_expect *e, const char *name)
{
    char text[640];
    if (!e->again)
        return gb_stream(e->tape, name);
    if (snprintf(text, sizeof text, "%s%s", name, e->again->stream) < (int)sizeof text)
        return gb_stream_repeated(e->tape, text);
    gb_fail(e->tape, GB_ENAME, "draw %.40s …: its name is too long", name);
    return (gb_noise){0};
}

gb_node gb_draw(gb_expect *e, const char *name, gb_dist q, gb_estimator estimator)
{
    return gb_draw_over(e, name, q, 0, estimator);
}

gb_node gb_draw_over(gb_expect *e, const char *name, gb_dist q, gb_axes axes, gb_estimator estimator)
{
    if (!e || !site_fits(e, name, q, estimator))
        return (gb_node){0};
    own_site *own = gb_tape_keep(e->tape, sizeof *own);
    const char *kept = own ? gb_tape_keep_text(e->tape, name) : NULL;
    if (!kept)
        return (gb_node){0};
    const void *const options = gb_options_keep(e->tape, estimator.type, &estimator.options);
    if (!options)
        return (gb_node){0};
    own->site = (gb_site){.size = sizeof(gb_site),
                          .name = kept,
                          .q = without_products(q),
                          .estimator = estimator,
                          .options = options,
                          .noise = noise_of(e, name),
                          .axes = e->axes | axes | gb_dist_axes(q),
                          .particles = e->particles,
                          .per = GB_SAMPLES,
                          .expectation = e,
                          .before = e->last ? &e->last->site : NULL};
    own->q = own->site.q;
    share_noise(e, &own->site);
    if (!make_values(e, own))
        return (gb_node){0};
    const gb_node draw = expand(e, own);
    own->site.draw = gb_named(gb_open_draw(estimator.type->relaxes ? gb_relaxed(draw) : draw), name);
    /* after `draw`, which may have created sites of its own */
    own->site.before = e->last ? &e->last->site : NULL;
    e->last = own;
    return own->site.draw;
}

/* Returns weight · log q, marked as the site's own, in the shape of log q. */
static gb_node own_log_prob(gb_expect *e, gb_node draw, gb_node weight)
{
    own_site *const own = e && gb_error(e->tape) == GB_OK ? gb_site_of(e, draw) : NULL;
    if (own && (!gb_node_ok(weight) || weight.tape != e->tape || gb_node_shape(weight).rank ||
                gb_node_axes(weight))) {
        gb_fail(
            e->tape, GB_EARGUMENT,
            "draw %s: the weight of its log q must be one real number that depends on no draw; for another "
            "weight, multiply gb_log_prob",
            own->site.name);
        return (gb_node){0};
    }
    if (own && !gb_node_ok(own->site.own)) {
        own->site.own = gb_mark_own(gb_mul(weight, gb_log_prob(own->q, gb_own_draw(draw))));
        own->site.own_weight = weight;
        return own->site.own;
    }
    if (own)
        gb_fail(e->tape, GB_EARGUMENT, "draw %s: gb_draw_log_prob was called for it before", own->site.name);
    else if (e)
        gb_fail(e->tape, GB_EARGUMENT, "draw_log_prob: the node is not a draw of this expectation");
    return (gb_node){0};
}

gb_node gb_draw_log_prior(gb_expect *e, gb_node draw, gb_dist p)
{
    own_site *const own = e && gb_error(e->tape) == GB_OK ? gb_site_of(e, draw) : NULL;
    if (own && !gb_node_ok(own->site.log_prior)) {
        own->site.prior = p;
        own->site.log_prior = gb_log_prob(p, draw);
        return own->site.log_prior;
    }
    if (own)
        gb_fail(e->tape, GB_EARGUMENT, "draw %s: gb_draw_log_prior was called for it before", own->site.name);
    else if (e)
        gb_fail(e->tape, GB_EARGUMENT, "draw_log_prior: the node is not a draw of this expectation");
    return (gb_node){0};
}

gb_node gb_draw_log_prob(gb_expect *e, gb_node draw, gb_node weight)
{
    const gb_node own = own_log_prob(e, draw, weight);
    return gb_node_ok(own) ? gb_per_sample(own) : own;
}

gb_node gb_draw_log_prob_of_rows(gb_expect *e, gb_node draw, gb_node weight)
{
    const gb_node own = own_log_prob(e, draw, weight);
    return gb_node_ok(own) ? gb_sum(own) : own;
}
