/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sleep phase of wake–sleep: the cost has no gradient in q. gb_elbo adds the loss that q descends
 * instead, at draws of the model (models/elbo/sleep.c). */
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static gb_node combine(const gb_site *site, gb_node cost)
{
    return gb_site_stop_own_path(site, cost);
}

const gb_estimator_type gb_sleep_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "sleep",
    .cite = "Hinton, Dayan, Frey and Neal 1995",
    .formula = "-d log q(z | x), z and x drawn from the model",
    .bias = "q is moved towards the posterior at data of the model, and not along the gradient of the bound",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_OWN_LOG_PROB | GB_NEEDS_MODEL,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_sleep(void)
{
    return gb_estimator_of(&gb_sleep_estimator_type, NULL);
}
