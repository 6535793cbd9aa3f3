/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_ESTIMATORS_BOUNDS_PARTICLES_IMPL_H
#define GREBE_ESTIMATORS_BOUNDS_PARTICLES_IMPL_H

#include "core/tape.h"
#include "plugins/domain.h"

/* The number of particles: from 1 to 1000000. */
extern const gb_domain gb_particles_domain;

/* Returns log Σ exp l over all others, for each element of a vector: −∞ if there are none. Without a
 * gradient. */
gb_node gb_log_sum_of_others(gb_node l);

/* log(e^a + e^b), elementwise; −∞ if both are −∞. */
gb_node gb_log_sum_of_two(gb_node a, gb_node b);

#endif
