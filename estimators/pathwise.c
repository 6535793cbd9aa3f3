/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_rsample(site->q, site->noise, site->axes);
}

const gb_estimator_type gb_pathwise_type = {
    .size = sizeof(gb_estimator_type),
    .name = "pathwise",
    .cite = "Kingma and Welling 2014",
    .formula = "df(g(theta, e))",
    .needs = GB_NEEDS(GB_CAN_RSAMPLE) | GB_NEEDS_SMOOTH_COST,
    .draw = draw,
};

gb_estimator gb_pathwise(void)
{
    return gb_estimator_of(&gb_pathwise_type, NULL, 0);
}
