/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latents: a family, a prior and an estimator become a draw and a term. */
#include "models/elbo/latent_impl.h"

#include "distributions/kl.h"
#include "distributions/list.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/posterior_impl.h"
#include "ops/elementwise.h"

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

/* ---- the divergence ---- */

/* Removes products: they only state which axes form an event, and the divergence is summed over all axes. */
static gb_dist without_products(gb_dist d)
{
    while (d.type == &gb_independent_type && d.base)
        d = *d.base;
    return d;
}

/* Changes d, with events of `own` axes, to events of `rank` axes, and broadcasts it to `shape`. */
static gb_dist with_events(gb_dist d, int own, gb_shape shape, int rank)
{
    return gb_independent(gb_dist_expand(d, gb_shape_of(shape.rank - own, shape.size)), rank - own);
}

/* Gives both the same event axes, so that their pair is found. */
static void align(gb_dist *q, gb_dist *prior)
{
    *q = without_products(*q);
    *prior = without_products(*prior);
    const int of_q = gb_dist_event_shape(*q).rank, of_prior = gb_dist_event_shape(*prior).rank;
    if (of_q < of_prior)
        *q = with_events(*q, of_q, gb_dist_shape(*q), of_prior);
    if (of_prior < of_q)
        *prior = with_events(*prior, of_prior, gb_dist_shape(*q), of_q);
}

void gb_elbo_add_sampled(gb_elbo *e, gb_term_kind kind, const char *name, gb_dist q, gb_node log_p,
                         gb_node draw)
{
    const bool row_by_row = (gb_node_axes(draw) & ~gb_dist_axes(q) & GB_ROWS) != 0;
    gb_node scale = gb_elbo_scale(e, gb_dist_axes(q));
    if (row_by_row) /* q is there once, so take the mean over the rows */
        scale = gb_div(scale, gb_axis_size(e->tape, GB_ROWS));
    const gb_node by = gb_mul(e->options.kl_weight, scale);
    gb_elbo_add(e, kind, name, gb_add(gb_mul(by, log_p), gb_draw_log_prob(e->expect, draw, gb_neg(by))),
                scale);
}

/* log q − log p is meaningless if one is a probability and the other a density. */
static bool can_be_sampled(gb_elbo *e, const char *name, gb_dist q, gb_dist prior)
{
    if (gb_dist_discrete(q) == gb_dist_discrete(prior))
        return true;
    gb_fail(
        e->tape, GB_EARGUMENT,
        "latent %s: KL(%s ‖ %s) cannot be sampled: %s has probabilities where %s has a density. With dropout "
        "take a normal prior and GB_KL_AUTO (Gal's approximation), or gb_no_prior",
        name, q.type->name, prior.type->name, gb_dist_discrete(q) ? q.type->name : prior.type->name,
        gb_dist_discrete(q) ? prior.type->name : q.type->name);
    return false;
}

/* Some estimators need log q in the cost. */
static bool is_to_be_exact(const gb_elbo *e, gb_estimator estimator)
{
    const bool wants_log_q = (gb_estimator_needs(estimator) & GB_NEEDS_OWN_LOG_PROB) != 0;
    return e->options.kl == GB_KL_EXACT || (e->options.kl == GB_KL_AUTO && !wants_log_q);
}

static void add_exact_kl(gb_elbo *e, const char *name, gb_axes axes, gb_dist q, gb_dist prior,
                         const char *note)
{
    const size_t before = e->count;
    const gb_node scale = gb_elbo_scale(e, axes), by = gb_mul(e->options.kl_weight, scale);
    gb_elbo_add(e, GB_TERM_KL, name, gb_neg(gb_mul(by, gb_per_sample(gb_kl(q, prior)))), scale);
    /* The formula is an approximation if only q has probabilities; if the prior has them too, it is KL
     * itself. */
    if (e->count > before && !gb_dist_discrete(prior))
        e->last->shown.approximation = note;
}

void gb_elbo_add_kl(gb_elbo *e, const char *name, gb_dist q, gb_dist prior, gb_node draw,
                    gb_estimator estimator)
{
    gb_dist of_q = q, of_prior = prior;
    align(&of_q, &of_prior);
    const gb_kl_pair *const exact = gb_kl_find(of_q, of_prior);
    if (gb_error(e->tape) != GB_OK)
        return;
    if (exact && is_to_be_exact(e, estimator))
        add_exact_kl(e, name, gb_dist_axes(q), of_q, of_prior, exact->note);
    else if (e->options.kl == GB_KL_EXACT)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: there is no exact KL(%s ‖ %s); GB_KL_AUTO and GB_KL_SAMPLED average over draws",
                name, q.type->name, prior.type->name);
    else if (can_be_sampled(e, name, q, prior))
        gb_elbo_add_sampled(e, GB_TERM_KL, name, q, gb_per_sample(gb_log_prob(prior, draw)), draw);
}

/* ---- no prior ---- */

static void add_exact_entropy(gb_elbo *e, const char *name, gb_dist q)
{
    const gb_node scale = gb_elbo_scale(e, gb_dist_axes(q)), by = gb_mul(e->options.kl_weight, scale);
    gb_elbo_add(e, GB_TERM_ENTROPY, name, gb_mul(by, gb_per_sample(gb_dist_entropy(q))), scale);
}

/* Dropout has probabilities where the flat prior has a density, so its entropy means nothing. */
static bool is_of_whole_numbers(gb_dist q)
{
    while (q.base)
        q = *q.base;
    return q.type->support && q.type->support->whole;
}

void gb_elbo_add_entropy(gb_elbo *e, const char *name, gb_dist q, gb_node draw, gb_estimator estimator)
{
    const bool is_exact = gb_dist_can(q, GB_CAN_ENTROPY);
    e->has_density = true;
    if (gb_dist_discrete(q) && !is_of_whole_numbers(q))
        e->latents->lacks_entropy = true;
    else if (is_exact && is_to_be_exact(e, estimator))
        add_exact_entropy(e, name, q);
    else if (e->options.kl == GB_KL_EXACT)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: there is no exact entropy of %s, as it has no prior; GB_KL_AUTO and "
                "GB_KL_SAMPLED average over draws",
                name, q.type->name);
    else
        gb_elbo_add_sampled(e, GB_TERM_ENTROPY, name, q, gb_num(e->tape, 0), draw);
}

/* ---- the latent ---- */

gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q, gb_estimator estimator,
                     bool is_flat)
{
    const gb_axes axes = family->row_by_row ? GB_ROWS : 0;
    const gb_node draw = gb_draw_over(e->expect, name, q, axes, estimator);
    gb_elbo_note_latent(e, name, q, is_flat);
    e->has_draw = true;
    return draw;
}

static gb_node point_of(gb_elbo *e, const gb_family *family, const gb_slot *slot, gb_dist prior)
{
    if (family->row_by_row)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: a point has no draws that could be of rows: leave gb_row_by_row out", slot->name);
    const gb_node w = gb_family_point(*family, slot);
    if (!gb_elbo_rows_fit(e, slot->name, gb_node_axes(w), gb_dist_axes(prior)))
        return (gb_node){0};
    if (prior.type != &none_type)
        gb_elbo_add_summed(e, GB_TERM_PRIOR, slot->name, gb_log_prob(prior, w));
    gb_elbo_note_latent(e, slot->name, gb_point_mass(w), false);
    gb_elbo_keep(e, (gb_kept){.slot = *slot, .family = *family, .prior = prior, .value = w});
    e->has_point = true;
    return w;
}

static bool support_fits(gb_elbo *e, const char *name, gb_dist prior, const gb_domain *support)
{
    if (!support || prior.type == &none_type)
        return true;
    return gb_fail(e->tape, GB_EARGUMENT,
                   "latent %s: it has a prior, whose support holds, and so takes no .support; that is for "
                   "gb_no_prior",
                   name) == GB_OK;
}

gb_node gb_latent_with(gb_elbo *e, const char *name, gb_family family, gb_dist prior, gb_estimator estimator,
                       const gb_latent_options *options)
{
    gb_slot slot;
    gb_latent_options own;
    const bool fits =
        gb_elbo_can_add(e, "latent", name) && gb_options_take(e->tape, "latent", &own, sizeof own, options) &&
        (!family.type || family.shape.rank < 0 || gb_elbo_prior_fits(e, name, family.shape, prior)) &&
        support_fits(e, name, prior, own.support) && gb_slot_of(e->tape, name, family, prior, &slot) &&
        (!own.support || gb_slot_reach(&slot, own.support));
    if (!fits || !family.type)
        return (gb_node){0};
    if (GB_HAS(family.type, point))
        return point_of(e, &family, &slot, prior);
    const gb_dist q = gb_family_posterior(family, &slot);
    if (!gb_dist_ok(q) || !gb_elbo_rows_fit(e, name, gb_dist_axes(q), gb_dist_axes(prior)))
        return (gb_node){0};
    gb_own_latent *const before = e->latents;
    const bool is_flat = prior.type == &none_type;
    const gb_node draw = gb_elbo_draw(e, name, &family, q, estimator, is_flat);
    if (!is_flat)
        gb_elbo_add_kl(e, name, q, prior, draw, estimator);
    else if (gb_node_ok(draw))
        gb_elbo_add_entropy(e, name, q, draw, estimator);
    if (gb_error(e->tape) == GB_OK)
        gb_elbo_keep(e, (gb_kept){.slot = slot, .family = family, .prior = prior, .q = q, .value = draw});
    if (gb_error(e->tape) == GB_OK)
        return draw;
    e->latents = before; /* the name becomes free again */
    return (gb_node){0};
}
