/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The covariance gradient of the thermodynamic objective: the score of each particle is weighted by the
 * signal of the bound. */
#include "estimators/bound.h"
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    return gb_site_inject(site, cost, gb_site_particle_log_probs(site), gb_site_signals(site));
}

const gb_estimator_type gb_path_covariance_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "path_covariance",
    .cite = "Masrani, Le and Wood 2019",
    .formula = "sum (signal - v) d log q(z) over the particles, v = dL/dl",
    .bias = "the particles stand for draws from the path between q and p, of which they are few",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_BOUND,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_path_covariance(void)
{
    return gb_estimator_of(&gb_path_covariance_estimator_type, NULL);
}
