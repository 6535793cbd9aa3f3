/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latents: a family, a prior and an estimator become a draw and a term. */
#include <string.h>

#include "distributions/kl.h"
#include "models/elbo_impl.h"
#include "ops/elementwise.h"

static bool latent_fits(gb_elbo *e, const char *name, gb_family family, gb_dist prior)
{
    gb_shape both;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (!gb_elbo_can_add(e, "latent", name))
        return false;
    if (!family.type)
        gb_fail(e->tape, GB_EARGUMENT, "latent %s: no posterior family was given (gb_mean_field(shape) …)",
                name);
    else if (!gb_dist_ok(prior) || prior.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT, "latent %s: no prior of this tape was given", name);
    else if (!gb_shape_broadcast(family.shape, gb_dist_shape(prior), &both) ||
             !gb_shape_equal(both, family.shape))
        gb_fail(e->tape, GB_ESHAPE,
                "latent %s: the prior has shape %s, which does not broadcast to the posterior's %s", name,
                gb_shape_text(gb_dist_shape(prior), a), gb_shape_text(family.shape, b));
    else
        return true;
    return false;
}

/* A prior for each row would count a latent that is there once as often as there are rows. */
static bool rows_fit(gb_elbo *e, const char *name, gb_axes posterior, gb_axes prior)
{
    if (!(prior & ~posterior & GB_ROWS))
        return true;
    gb_fail(e->tape, GB_ESHAPE, "latent %s: the prior varies over rows, the posterior does not", name);
    return false;
}

static void add_kl(gb_elbo *e, const char *name, gb_dist q, gb_dist prior, gb_node draw)
{
    const bool exact = gb_has_kl(q, prior);
    if (!exact && e->options.kl == GB_KL_EXACT) {
        gb_fail(e->tape, GB_EARGUMENT,
                "latent %s: there is no exact KL(%s ‖ %s); GB_KL_AUTO and GB_KL_SAMPLED average over draws",
                name, q.type->name, prior.type->name);
        return;
    }
    const gb_node scale = gb_elbo_kl_scale(e, gb_dist_axes(q));
    if (exact && e->options.kl != GB_KL_SAMPLED) {
        gb_elbo_add(e, GB_TERM_KL, name, gb_neg(gb_mul(scale, gb_per_sample(gb_kl(q, prior)))), scale);
        return;
    }
    const gb_node log_p = gb_mul(scale, gb_per_sample(gb_log_prob(prior, draw)));
    gb_elbo_add(e, GB_TERM_KL, name, gb_add(log_p, gb_draw_log_prob(e->expect, draw, gb_neg(scale))), scale);
}

gb_node gb_latent(gb_elbo *e, const char *name, gb_family family, gb_dist prior, gb_estimator estimator)
{
    if (!latent_fits(e, name, family, prior))
        return (gb_node){0};
    if (GB_HAS(family.type, point)) {
        const gb_node w = family.type->point(&family, e->tape, name);
        if (!rows_fit(e, name, gb_node_axes(w), gb_dist_axes(prior)))
            return (gb_node){0};
        gb_elbo_add_summed(e, GB_TERM_PRIOR, name, gb_log_prob(prior, w));
        e->has_point = true;
        return w;
    }
    const gb_dist q = family.type->posterior(&family, e->tape, name);
    if (!gb_dist_ok(q) || !rows_fit(e, name, gb_dist_axes(q), gb_dist_axes(prior)))
        return (gb_node){0};
    const gb_node draw = gb_draw(e->expect, name, q, estimator);
    gb_own_latent *made = gb_tape_keep(e->tape, sizeof *made);
    const char *kept = made ? gb_tape_keep_text(e->tape, name) : NULL;
    if (!kept)
        return (gb_node){0};
    *made = (gb_own_latent){.before = e->latents, .name = kept, .q = q};
    e->latents = made;
    add_kl(e, name, q, prior, draw);
    return draw;
}

gb_dist gb_posterior(const gb_elbo *e, const char *name)
{
    for (const gb_own_latent *at = e ? e->latents : NULL; at && name; at = at->before)
        if (strcmp(at->name, name) == 0)
            return at->q;
    return (gb_dist){0};
}
