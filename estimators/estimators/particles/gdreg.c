/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generalised doubly reparameterised gradients: dreg, and the same for the parameters of the prior p of the
 * draw. Their gradient at fixed draws is Σ v_k ∂ log p(z_k), a score. Its mean is an integral over p of
 * (q / p) v ∂ log p, which is reparameterised as a draw of p: it is the mean of
 *     d/dz (v q / p) · (p / q) ∂z = (dv/dz + v (d log q/dz − d log p/dz)) ∂z,
 * where ∂z is the derivative of a draw of p that has the value z_k. dv/dz is the bend of the bound times
 * dl/dz. */
#include <math.h>

#include "distributions/list.h"
#include "estimators/bound.h"
#include "estimators/estimators/particles/dreg_impl.h"
#include "estimators/estimators/shared/held_impl.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    return gb_dreg_estimator_type.draw(site);
}

/* ---- which priors ---- */

static const gb_domain *values_of(const gb_dist *d)
{
    return d->type == &gb_independent_type ? values_of(d->base)
           : d->transform                  ? gb_transform_to(*d->transform)
                                           : d->type->support;
}

/* The mean has no term of the ends if q has none, or if a draw of p does not move at them, as they are its
 * own. */
static bool has_ends_of(const gb_dist *q, const gb_dist *p)
{
    const gb_domain *const of_q = values_of(q), *const of_p = values_of(p);
    const bool is_whole = !of_q->outside && isinf(of_q->low) && isinf(of_q->high);
    return is_whole || of_q == of_p || (of_q->low == of_p->low && of_q->high == of_p->high && !of_p->outside);
}

static bool is_of_draw(const gb_dist *p, gb_node draw)
{
    bool depends = p->base && is_of_draw(p->base, draw);
    for (size_t i = 0; i < GB_MAX_PARAMS; i++)
        depends |= gb_node_ok(p->param[i]) && gb_node_depends(p->param[i], draw);
    for (size_t i = 0; i < 2 && p->transform; i++)
        depends |= gb_node_ok(p->transform->param[i]) && gb_node_depends(p->transform->param[i], draw);
    return depends;
}

static bool prior_fits(const gb_site *site)
{
    const gb_dist *const p = &site->prior;
    const char *why = NULL;
    if (!gb_node_depends(site->log_weight, site->log_prior)) {
        gb_fail(site->q.tape, GB_EARGUMENT,
                "draw %s: gdreg needs its prior in the log weight by gb_draw_log_prior, and there is none "
                "(gb_latent adds it, gb_latent_block does not)",
                site->name);
        return false;
    }
    if (!gb_can_hold_noise(p))
        why = "needs a prior with a location and a scale, or a distribution function, and fixed ends";
    else if (!has_ends_of(&site->q, p))
        why = "needs a prior whose support is that of the posterior";
    else if (is_of_draw(p, site->draw))
        why = "needs a prior that does not depend on draws made from this one (draw what the prior depends "
              "on first)";
    if (why)
        gb_fail(site->q.tape, GB_EARGUMENT, "draw %s: gdreg %s; this prior is %s (dreg fits)", site->name,
                why, p->type->name);
    return !why;
}

/* ---- its gradient ---- */

static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_node doubly = gb_dreg_estimator_type.combine(site, cost);
    if (!gb_node_ok(doubly) || !prior_fits(site))
        return (gb_node){0};
    const gb_dist q = site->q, p = site->prior;
    const gb_node z = gb_stop(site->values), held = gb_at_held_noise(&p, z);
    const gb_node weight = gb_stop(gb_gradient_of_sum(site->log_weight, site->log_prior));
    const gb_node slopes = gb_site_slopes(site), along = gb_slope_of_weight(site);
    const int rank = gb_node_shape(z).rank;
    const gb_node excess = gb_sub(gb_slope_of_log(q, z), gb_slope_of_log(p, z));
    const gb_node each = gb_add(gb_chain(gb_add_axes(gb_site_bends(site), rank), along),
                                gb_chain(gb_add_axes(slopes, rank), excess));
    const gb_node by = gb_stop(gb_mul(gb_add_axes(weight, gb_dist_event_shape(p).rank), each));
    const gb_node without = gb_site_inject(site, doubly, gb_log_prob(p, z), gb_neg(gb_mul(weight, slopes)));
    return gb_site_inject(site, without, held, by);
}

const gb_estimator_type gb_gdreg_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "gdreg",
    .cite = "Bauer and Mnih 2021",
    .formula = "dreg, and for v d log p of the prior: sum (v' dl/dz + v d log(q/p)/dz) dz of a draw of p",
    .needs = GB_NEEDS(GB_CAN_RSAMPLE) | GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SMOOTH_COST |
             GB_NEEDS_OWN_LOG_PROB | GB_NEEDS_BOUND | GB_NEEDS_LATER_PATHS,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_gdreg(void)
{
    return gb_estimator_of(&gb_gdreg_estimator_type, NULL);
}
