/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latents: a family, a prior and an estimator become a draw and a term. */
#include "models/elbo/latent_impl.h"

#include "distributions/list.h"
#include "models/elbo/divergence_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/posterior_impl.h"
#include "ops/control.h"

/* A type of its own, to distinguish gb_no_prior from an inert distribution. */
static const gb_dist_type none_type = {.size = sizeof(gb_dist_type), .name = "none"};
const gb_dist gb_no_prior = {.type = &none_type};

bool gb_elbo_prior_fits(gb_elbo *e, const char *name, gb_shape shape, gb_dist prior)
{
    gb_shape both;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (prior.type == &none_type)
        return true;
    if (!gb_dist_ok(prior) || prior.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: no prior of this tape was given (gb_normal(mean, scale) …, or gb_no_prior)",
                name);
    else if (!gb_shape_broadcast(shape, gb_dist_shape(prior), &both) || !gb_shape_same(both, shape))
        gb_fail(e->tape, GB_ESHAPE,
                "latent %s: the prior has shape %s, which does not broadcast to the posterior's %s; the "
                "shape of the family is that of the latent",
                name, gb_shape_text(gb_dist_shape(prior), a), gb_shape_text(shape, b));
    else
        return true;
    return false;
}

bool gb_elbo_rows_fit(gb_elbo *e, const char *name, gb_axes posterior, gb_axes prior)
{
    if (!(prior & ~posterior & GB_ROWS))
        return true;
    gb_fail(e->tape, GB_ESHAPE,
            "latent %s: the prior varies over rows, the posterior does not; a latent of each row takes "
            "gb_posterior_of(q), where q has parameters for each row",
            name);
    return false;
}

gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q, gb_estimator estimator)
{
    const gb_axes axes = family->row_by_row ? GB_ROWS : 0;
    e->has_draw = true;
    return gb_draw_over(e->expect, name, q, axes, estimator);
}

/* ---- recording ---- */

static bool support_fits(gb_elbo *e, const char *name, gb_dist prior, const gb_domain *support)
{
    if (!support || prior.type == &none_type)
        return true;
    return gb_fail(e->tape, GB_EARGUMENT,
                   "latent %s: it has a prior, whose support holds, and so takes no .support; that is for "
                   "gb_no_prior",
                   name) == GB_OK;
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
    return gb_error(e->tape) == GB_OK && gb_elbo_rows_fit(e, name, axes, gb_dist_axes(own->prior));
}

/* The members of an ensemble are samples: they have no distribution by themselves. */
static gb_dist posterior_of_point(gb_node value)
{
    return gb_node_axes(value) & GB_SAMPLES ? (gb_dist){0} : gb_point_mass(value);
}

static void note(const gb_own_lazy *own)
{
    const gb_lazy *const w = &own->seen;
    const bool is_point = !gb_dist_ok(w->q);
    gb_elbo_note_latent(w->elbo, w->name, is_point ? posterior_of_point(w->value) : w->q,
                        !is_point && own->prior.type == &none_type);
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

/* ---- its use ---- */

static void add_term(gb_own_lazy *own)
{
    const gb_lazy *const seen = &own->seen;
    gb_elbo *const e = seen->elbo;
    const bool is_flat = own->prior.type == &none_type;
    if (!gb_dist_ok(seen->q)) {
        e->has_point = true;
        if (!is_flat)
            gb_elbo_add_summed(e, GB_TERM_PRIOR, seen->name, gb_log_prob(own->prior, seen->value));
    } else if (!is_flat)
        gb_elbo_add_kl(e, seen->name, seen->q, own->prior, seen->value, seen->estimator);
    else if (gb_node_ok(seen->value))
        gb_elbo_add_entropy(e, seen->name, seen->q, seen->value, seen->estimator);
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

gb_node gb_elbo_use(gb_own_lazy *own, gb_lazy_use as)
{
    gb_lazy *const seen = &own->seen;
    own->use = as;
    own->family.row_by_row |= as == GB_LAZY_BY_ROW;
    if (gb_dist_ok(seen->q))
        seen->value = draw_of(own);
    add_term(own);
    if (gb_error(seen->elbo->tape) != GB_OK)
        return (gb_node){0};
    gb_elbo_keep(seen->elbo, (gb_kept){.slot = own->slot,
                                       .family = own->family,
                                       .prior = own->prior,
                                       .q = seen->q,
                                       .value = seen->value});
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
    const gb_node value = gb_elbo_use(own, GB_LAZY_DRAWN);
    if (gb_error(e->tape) == GB_OK)
        return value;
    e->latents = before; /* the name becomes free again */
    return (gb_node){0};
}
