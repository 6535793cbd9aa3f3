/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sticking the landing: pathwise, without the gradient in the parameters through log q at a fixed draw. Where
 * q is the exact posterior, the gradient of every single sample is 0. */
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_rsample(site->q, site->noise, site->axes);
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    return gb_site_drop_own_path(site, cost);
}

const gb_estimator_type gb_sticking_the_landing_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "sticking_the_landing",
    .cite = "Roeder, Wu and Duvenaud 2017",
    .formula = "df(g(theta, e)) without d log q at a fixed draw",
    .needs = GB_NEEDS(GB_CAN_RSAMPLE) | GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SMOOTH_COST | GB_NEEDS_OWN_LOG_PROB,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_sticking_the_landing(void)
{
    return gb_estimator_of(&gb_sticking_the_landing_estimator_type, NULL);
}
