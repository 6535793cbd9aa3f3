/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slopes along a draw, at fixed parameters. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_PARTICLES_DREG_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_PARTICLES_DREG_IMPL_H

#include "estimators/estimator.h"

/* Returns d log law / dz at the draw, which is held. */
gb_node gb_slope_of_log(gb_dist law, gb_node draw);

/* Returns dl/dz of the log weight at the draws of a site, also through the draws that depend on them. */
gb_node gb_slope_of_weight(const gb_site *site);

#endif
