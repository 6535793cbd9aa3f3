/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_ESTIMATORS_EXPECTATION_PARTICLES_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_PARTICLES_IMPL_H

#include "estimators/expectation/sites_impl.h"

/* Takes the bound of a new expectation (type NULL: the ELBO), and makes its axis of particles. Returns false
 * on error. */
bool gb_expect_take_bound(gb_expect *e, gb_bound bound);

/* Returns the bound of log weights along the first axis. */
gb_node gb_particles_value(const gb_expect *e, gb_node log_weights);

#endif
