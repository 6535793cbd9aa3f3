/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sticking the landing in a bound of several draws, as it was published: the gradient through log q at fixed
 * draws is left out, though its mean is not zero there. */
#include "estimators/bound.h"
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_rsample(site->q, site->noise, site->axes);
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    return gb_site_stop_own_path(site, cost);
}

const gb_estimator_type gb_stl_as_published_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "stl_as_published",
    .cite = "Roeder, Wu and Duvenaud 2017",
    .formula = "dL(l(g(theta, e))) without d log q at fixed draws",
    .bias = "with several draws, the part that it leaves out has a mean",
    .needs = GB_NEEDS(GB_CAN_RSAMPLE) | GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SMOOTH_COST |
             GB_NEEDS_OWN_LOG_PROB | GB_NEEDS_BOUND,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_stl_as_published(void)
{
    return gb_estimator_of(&gb_stl_as_published_estimator_type, NULL);
}
