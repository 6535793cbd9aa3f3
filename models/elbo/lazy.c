/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latents: a family, a prior and an estimator become q; then, when they are used, a draw and a term. */
#include "models/elbo/lazy_impl.h"

#include "distributions/list.h"
#include "models/elbo/divergence_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/latent_impl.h"
#include "models/elbo/posterior_impl.h"
#include "models/families/name_impl.h"
#include "ops/control.h"

/* ---- recording ---- */

static bool support_fits(gb_elbo *e, const char *name, gb_dist prior, const gb_domain *support)
{
    if (!support || prior.type == gb_no_prior.type)
        return true;
    return gb_fail(e->tape, GB_EARGUMENT,
                   "latent %s: it has a prior, whose support holds, and so takes no .support; that is for "
                   "gb_no_prior",
                   name) == GB_OK;
}

static bool weight_fits(const gb_own_lazy *own, gb_axes axes)
{
    const gb_elbo *const e = own->seen.elbo;
    const gb_node weight = own->weight;
    const char *const name = own->seen.name;
    if (!weight.tape)
        return true;
    if (!gb_node_ok(weight) || weight.tape != e->tape || gb_node_type(weight) != GB_TYPE_REAL ||
        gb_node_shape(weight).rank > 0 || (gb_node_axes(weight) & ~GB_ROWS))
        gb_fail(e->tape, GB_ENODE,
                "latent %s: .weight is to be one real number for each row, of this tape and of no draw",
                name);
    else if (!(axes & GB_ROWS) || !own->seen.q.type)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: .weight is for a latent of each row, which takes gb_posterior_of(q), where q has "
                "parameters for each row",
                name);
    else if (gb_elbo_has_particles(e) || (gb_estimator_needs(own->seen.estimator) & GB_NEEDS_OWN_LOG_PROB))
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: .weight fits neither a bound of whole weights nor an estimator that needs its "
                "own log q (sticking_the_landing)",
                name);
    else
        return true;
    return false;
}

/* Makes the point, or q. */
static bool find_posterior(gb_own_lazy *own)
{
    gb_elbo *const e = own->seen.elbo;
    const char *const name = own->seen.name;
    const bool is_point = GB_HAS(own->family.type, point);
    if (is_point && own->family.row_by_row)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: a point has no draws that could be of rows: leave gb_row_by_row out", name);
    if (is_point)
        own->seen.value = gb_family_point(own->family, &own->slot);
    else
        own->seen.q = gb_family_posterior(own->family, &own->slot);
    const gb_axes axes = is_point ? gb_node_axes(own->seen.value) : gb_dist_axes(own->seen.q);
    return gb_error(e->tape) == GB_OK && gb_elbo_rows_fit(e, name, axes, gb_dist_axes(own->prior)) &&
           weight_fits(own, axes);
}

static void note(const gb_own_lazy *own)
{
    const gb_lazy *const w = &own->seen;
    const bool is_point = !w->q.type;
    gb_elbo_note_latent(w->elbo, w->name, is_point ? gb_elbo_posterior_of_point(w->value) : w->q,
                        !is_point && own->prior.type == gb_no_prior.type);
}

static gb_own_lazy *lazy_new(gb_elbo *e, const char *name, gb_family family, gb_dist prior,
                             gb_estimator estimator, const gb_latent_options *options)
{
    gb_own_lazy own = {
        .seen = {.size = sizeof(gb_lazy), .elbo = e, .shape = family.shape, .estimator = estimator},
        .family = family,
        .prior = prior};
    gb_latent_options given;
    const bool fits =
        gb_elbo_can_add(e, "latent", name) &&
        gb_options_take(e->tape, "latent", &given, sizeof given, options) &&
        (!family.type || family.shape.rank < 0 || gb_elbo_prior_fits(e, name, family.shape, prior)) &&
        support_fits(e, name, prior, given.support) && gb_slot_of(e->tape, name, family, prior, &own.slot) &&
        (!given.support || gb_slot_reach(&own.slot, given.support));
    own.weight = fits ? given.weight : (gb_node){0};
    own.seen.name = fits ? gb_tape_keep_text(e->tape, name) : NULL;
    gb_own_lazy *const made = own.seen.name ? gb_tape_keep(e->tape, sizeof *made) : NULL;
    own.slot.name = own.seen.name;
    if (!made || !find_posterior(&own))
        return NULL;
    *made = own;
    return made;
}

gb_lazy *gb_latent_lazy_with(gb_elbo *e, const char *name, gb_family family, gb_dist prior,
                             gb_estimator estimator, const gb_latent_lazy_options *options)
{
    gb_own_lazy *const own = lazy_new(e, name, family, prior, estimator, options);
    if (!own)
        return NULL;
    note(own);
    if (gb_error(e->tape) != GB_OK)
        return NULL;
    own->before = e->lazy;
    e->lazy = own;
    return &own->seen;
}

/* ---- the value, and the term ---- */

static void add_term(gb_own_lazy *own)
{
    const gb_lazy *const seen = &own->seen;
    gb_elbo *const e = seen->elbo;
    const bool is_flat = own->prior.type == gb_no_prior.type;
    if (!seen->q.type) {
        e->has_point = true;
        if (!is_flat)
            gb_elbo_add_summed(e, GB_TERM_PRIOR, seen->name, gb_log_prob(own->prior, seen->value));
    } else if (!is_flat)
        gb_elbo_add_kl(e, seen->name, seen->q, own->prior, seen->value, seen->estimator, own->weight);
    else if (gb_node_ok(seen->value))
        gb_elbo_add_entropy(e, seen->name, seen->q, seen->value, seen->estimator, own->weight);
}

/* A draw that neither KL nor a layer uses has no part in the expectation. */
static gb_node draw_of(const gb_own_lazy *own)
{
    const gb_lazy *const seen = &own->seen;
    gb_elbo *const e = seen->elbo;
    if (own->use != GB_LAZY_ASIDE || !gb_elbo_is_exact(e, seen->q, own->prior, seen->estimator))
        return gb_elbo_draw(e, seen->name, &own->family, seen->q, seen->estimator);
    e->has_draw = true;
    return gb_named(gb_sample(seen->q, gb_stream(e->tape, seen->name), GB_SAMPLES), seen->name);
}

static bool rows_fit_bound(const gb_own_lazy *own)
{
    const gb_elbo *const e = own->seen.elbo;
    if (!own->family.row_by_row || !gb_elbo_has_particles(e))
        return true;
    gb_fail(
        e->tape, GB_EARGUMENT,
        "latent %s: the bound %s needs log p - log q of one draw for all rows, and there is one for each row",
        own->seen.name, e->options.bound.type->name);
    return false;
}

static gb_node use(gb_own_lazy *own, gb_lazy_use as)
{
    gb_lazy *const seen = &own->seen;
    own->use = as;
    own->family.row_by_row |= as == GB_LAZY_BY_ROW;
    if (!rows_fit_bound(own))
        return (gb_node){0};
    if (seen->q.type)
        seen->value = draw_of(own);
    add_term(own);
    if (gb_error(seen->elbo->tape) != GB_OK)
        return (gb_node){0};
    gb_elbo_keep(seen->elbo, (gb_kept){.slot = own->slot,
                                       .family = own->family,
                                       .prior = own->prior,
                                       .q = seen->q,
                                       .value = seen->value,
                                       .weight = own->weight});
    if (own->family.row_by_row)
        gb_elbo_add_stand_in(seen->elbo,
                             (gb_stand_in){.name = seen->name, .drawn = seen->value, .q = seen->q});
    return seen->value;
}

gb_node gb_latent_with(gb_elbo *e, const char *name, gb_family family, gb_dist prior, gb_estimator estimator,
                       const gb_latent_options *options)
{
    gb_own_lazy *const own = lazy_new(e, name, family, prior, estimator, options);
    if (!own)
        return (gb_node){0};
    gb_own_latent *const before = e->latents;
    note(own);
    const gb_node value = use(own, GB_LAZY_DRAWN);
    if (gb_error(e->tape) == GB_OK)
        return value;
    e->latents = before; /* the name becomes free again */
    return (gb_node){0};
}

/* ---- what it may be used for ---- */

static const char *words_of(gb_lazy_use use)
{
    switch (use) {
    case GB_LAZY_DRAWN: return "one draw for all rows is in use already";
    case GB_LAZY_BY_ROW: return "draws for each row are in use already";
    case GB_LAZY_UNUSED:
    case GB_LAZY_ASIDE:
    case GB_LAZY_NOISE:
    case GB_LAZY_REPLACED: break;
    }
    return "a layer with a site of its own uses it already";
}

static bool is_aside(gb_lazy_use use)
{
    return use == GB_LAZY_ASIDE || use == GB_LAZY_NOISE;
}

bool gb_lazy_is_aside(const gb_lazy *w)
{
    return is_aside(((const gb_own_lazy *)w)->use);
}

/* What draws for each row, or a site of a layer, cannot do; NULL: nothing. */
static const char *refusal(const gb_own_lazy *own, gb_lazy_use as)
{
    const gb_lazy *const w = &own->seen;
    if (as == GB_LAZY_DRAWN)
        return NULL;
    if (gb_elbo_has_particles(w->elbo))
        return "the bound needs log p - log q of one draw for all rows";
    if (is_aside(as) && (gb_estimator_needs(w->estimator) & GB_NEEDS_OWN_LOG_PROB))
        return "its estimator needs log q of the draw that the layer uses, and there is none";
    return is_aside(as) && own->family.row_by_row
               ? "its family is to draw for each row (gb_row_by_row), and the layer draws something else"
               : NULL;
}

static bool can_be_used(const gb_own_lazy *own, gb_lazy_use as)
{
    gb_elbo *const e = own->seen.elbo;
    const char *const name = own->seen.name, *const why = refusal(own, as);
    if (own->use != GB_LAZY_UNUSED)
        gb_fail(
            e->tape, GB_EARGUMENT,
            "latent %s: a second use is rejected, since %s, and the uses would differ; with GB_NOISE_SHARED "
            "(gb_lazy_draw) all uses have the same draw",
            name, words_of(own->use));
    else if (why)
        gb_fail(e->tape, GB_EARGUMENT, "latent %s: %s; take GB_NOISE_SHARED (gb_lazy_draw)", name, why);
    else
        return true;
    return false;
}

/* A point has one value, whatever it is used for, and any number of uses. */
static gb_node used(gb_lazy *w, gb_lazy_use as)
{
    gb_own_lazy *const own = (gb_own_lazy *)w; /* of which `w` is the first member */
    if (!own || gb_error(w->elbo->tape) != GB_OK)
        return (gb_node){0};
    if (!w->q.type)
        as = GB_LAZY_DRAWN;
    if (own->use == GB_LAZY_DRAWN && as == GB_LAZY_DRAWN)
        return w->value;
    return can_be_used(own, as) ? use(own, as) : (gb_node){0};
}

gb_node gb_lazy_draw(gb_lazy *w)
{
    return used(w, GB_LAZY_DRAWN);
}

gb_node gb_lazy_draw_rows(gb_lazy *w)
{
    return used(w, GB_LAZY_BY_ROW);
}

gb_node gb_lazy_draw_aside(gb_lazy *w, bool is_noise)
{
    return used(w, is_noise ? GB_LAZY_NOISE : GB_LAZY_ASIDE);
}

gb_node gb_lazy_site(gb_lazy *w, const char *suffix, gb_dist of, gb_axes axes)
{
    char name[GB_PART_NAME];
    if (!w || !gb_joined_name(w->elbo->tape, w->name, ".", suffix ? suffix : "site", name))
        return (gb_node){0};
    w->elbo->has_draw = true;
    return gb_draw_over(w->elbo->expect, name, of, axes, w->estimator);
}
