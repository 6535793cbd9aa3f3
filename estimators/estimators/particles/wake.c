/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wake phase of reweighted wake–sleep for q: the score of each particle, weighted by its slope v_k. It
 * lowers KL(p ‖ q), and not the bound; all else (the model) has the gradient of the bound. */
#include "estimators/bound.h"
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    return gb_site_inject(site, gb_site_stop_own_path(site, cost), gb_site_particle_log_probs(site),
                          gb_site_slopes(site));
}

const gb_estimator_type gb_wake_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "wake",
    .cite = "Bornschein and Bengio 2015",
    .formula = "sum v d log q(z) over the particles, v = dL/dl",
    .bias = "q is moved towards the posterior, by KL(p || q), and not along the gradient of the bound",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_OWN_LOG_PROB | GB_NEEDS_BOUND,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_wake(void)
{
    return gb_estimator_of(&gb_wake_estimator_type, NULL);
}
