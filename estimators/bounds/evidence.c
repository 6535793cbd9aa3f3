/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/bound.h"
#include "ops/reduce.h"

static gb_node value(const void *options, gb_node log_weights)
{
    (void)options;
    return gb_mean_along(log_weights, gb_axis(0));
}

const gb_bound_type gb_evidence_bound_type = {
    .size = sizeof(gb_bound_type),
    .name = "elbo",
    .cite = "Jordan, Ghahramani, Jaakkola and Saul 1999",
    .formula = "E log p(data, w) - log q(w)",
    .value = value,
};
