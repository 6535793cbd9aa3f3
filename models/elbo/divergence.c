/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The term of a latent: the divergence of q from its prior, or the entropy of q. */
#include "models/elbo/divergence_impl.h"

#include "distributions/kl.h"
#include "distributions/list.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/posterior_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

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

/* A term of log weights, for a bound of several draws: log_p may have rows. */
static void add_weight(gb_elbo *e, gb_term_kind kind, const char *name, gb_node log_p, gb_node draw,
                       bool row_by_row)
{
    const gb_node by = e->options.kl_weight;
    if (row_by_row) {
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: the bound %s needs log p - log q of one draw for all rows, and there is one for "
                "each row",
                name, e->options.bound.type->name);
        return;
    }
    const gb_node row = gb_add(gb_mul(by, log_p), gb_draw_log_prob_of_rows(e->expect, draw, gb_neg(by)));
    const gb_node scale = gb_elbo_scale(e, gb_node_axes(row));
    const size_t before = e->count;
    gb_elbo_add(e, kind, name, gb_mul(scale, gb_per_sample(row)), scale);
    if (e->count > before)
        e->last->row = row;
}

void gb_elbo_add_sampled(gb_elbo *e, gb_term_kind kind, const char *name, gb_dist q, gb_node log_p,
                         gb_node draw)
{
    const bool row_by_row = (gb_node_axes(draw) & ~gb_dist_axes(q) & GB_ROWS) != 0;
    if (gb_elbo_has_particles(e)) {
        add_weight(e, kind, name, log_p, draw, row_by_row);
        return;
    }
    gb_node scale = gb_elbo_scale(e, gb_dist_axes(q));
    if (row_by_row) /* q is there once, so take the mean over the rows */
        scale = gb_div(scale, gb_axis_size(e->tape, GB_ROWS));
    const gb_node by = gb_mul(e->options.kl_weight, scale);
    gb_elbo_add(e, kind, name, gb_add(gb_mul(by, log_p), gb_draw_log_prob(e->expect, draw, gb_neg(by))),
                scale);
}

/* The same where rows have weights, for which gb_draw_log_prob has no place: log q is an ordinary part of the
 * cost. log_p: of each event. */
static void add_weighted(gb_elbo *e, gb_term_kind kind, const char *name, gb_dist q, gb_node log_p,
                         gb_node draw, gb_node weight)
{
    const gb_node scale = gb_elbo_scale(e, GB_ROWS), by = gb_mul(e->options.kl_weight, scale);
    const gb_node each = gb_sub(gb_sum(log_p), gb_sum(gb_log_prob(q, draw)));
    const size_t before = e->count;
    gb_elbo_add(e, kind, name, gb_mul(by, gb_per_sample(gb_mul(weight, each))), scale);
    if (gb_elbo_has_particles(e) && e->count > before)
        e->last->row = gb_mul(gb_mul(e->options.kl_weight, weight), each);
}

static void add_sampled(gb_elbo *e, gb_term_kind kind, const char *name, gb_dist q, gb_node log_p,
                        gb_node draw, gb_node weight)
{
    if (gb_node_ok(weight))
        add_weighted(e, kind, name, q, log_p, draw, weight);
    else
        gb_elbo_add_sampled(e, kind, name, q, gb_elbo_has_particles(e) ? gb_sum(log_p) : gb_per_sample(log_p),
                            draw);
}

/* A divergence or an entropy, (batch of q), summed with the weights of rows. */
static gb_node summed(gb_node each, gb_node weight)
{
    return gb_per_sample(gb_node_ok(weight) ? gb_mul(weight, each) : each);
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

static bool has_exact_kl(gb_dist q, gb_dist prior)
{
    align(&q, &prior);
    return gb_kl_find(q, prior) != NULL;
}

static void add_exact_kl(gb_elbo *e, const char *name, gb_axes axes, gb_dist q, gb_dist prior,
                         const char *note, gb_node weight)
{
    const size_t before = e->count;
    const gb_node scale = gb_elbo_scale(e, axes), by = gb_mul(e->options.kl_weight, scale);
    gb_elbo_add(e, GB_TERM_KL, name, gb_neg(gb_mul(by, summed(gb_kl(q, prior), weight))), scale);
    /* The formula is an approximation if only q has probabilities; if the prior has them too, it is KL
     * itself. */
    if (e->count > before && !gb_dist_discrete(prior))
        e->last->shown.approximation = note;
}

void gb_elbo_add_kl(gb_elbo *e, const char *name, gb_dist q, gb_dist prior, gb_node draw,
                    gb_estimator estimator, gb_node weight)
{
    gb_dist of_q = q, of_prior = prior;
    align(&of_q, &of_prior);
    const gb_kl_pair *const exact = gb_kl_find(of_q, of_prior);
    if (gb_error(e->tape) != GB_OK)
        return;
    if (exact && is_to_be_exact(e, estimator))
        add_exact_kl(e, name, gb_dist_axes(q), of_q, of_prior, exact->note, weight);
    else if (e->options.kl == GB_KL_EXACT)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: there is no exact KL(%s ‖ %s); GB_KL_AUTO and GB_KL_SAMPLED average over draws",
                name, q.type->name, prior.type->name);
    else if (can_be_sampled(e, name, q, prior))
        add_sampled(e, GB_TERM_KL, name, q, gb_draw_log_prior(e->expect, draw, prior), draw, weight);
}

/* ---- no prior ---- */

static void add_exact_entropy(gb_elbo *e, const char *name, gb_dist q, gb_node weight)
{
    const gb_node scale = gb_elbo_scale(e, gb_dist_axes(q)), by = gb_mul(e->options.kl_weight, scale);
    gb_elbo_add(e, GB_TERM_ENTROPY, name, gb_mul(by, summed(gb_dist_entropy(q), weight)), scale);
}

/* Dropout has probabilities where the flat prior has a density, so its entropy means nothing. */
static bool has_no_entropy(gb_dist q)
{
    const bool is_discrete = gb_dist_discrete(q);
    while (q.base)
        q = *q.base;
    return is_discrete && !(q.type->support && q.type->support->whole);
}

void gb_elbo_add_entropy(gb_elbo *e, const char *name, gb_dist q, gb_node draw, gb_estimator estimator,
                         gb_node weight)
{
    const bool is_exact = gb_dist_can(q, GB_CAN_ENTROPY);
    gb_own_latent *const latent = gb_elbo_own_latent(e, name);
    e->has_density = true;
    if (!latent)
        return; /* its memory ran out */
    if (has_no_entropy(q))
        latent->lacks_entropy = true;
    else if (is_exact && is_to_be_exact(e, estimator))
        add_exact_entropy(e, name, q, weight);
    else if (e->options.kl == GB_KL_EXACT)
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: there is no exact entropy of %s, as it has no prior; GB_KL_AUTO and "
                "GB_KL_SAMPLED average over draws",
                name, q.type->name);
    else
        add_sampled(e, GB_TERM_ENTROPY, name, q, gb_num(e->tape, 0), draw, weight);
}

bool gb_elbo_is_exact(const gb_elbo *e, gb_dist q, gb_dist prior, gb_estimator estimator)
{
    if (gb_dist_ok(prior))
        return is_to_be_exact(e, estimator) && has_exact_kl(q, prior);
    return has_no_entropy(q) || (is_to_be_exact(e, estimator) && gb_dist_can(q, GB_CAN_ENTROPY));
}
