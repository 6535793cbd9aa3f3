/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_ESTIMATORS_BOUNDS_PARTICLES_IMPL_H
#define GREBE_ESTIMATORS_BOUNDS_PARTICLES_IMPL_H

#include "plugins/domain.h"

/* The number of particles: from 1 to 1000000. */
extern const gb_domain gb_particles_domain;

#endif
