/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/bounds/particles_impl.h"

const gb_domain gb_particles_domain = {.size = sizeof(gb_domain),
                                       .name = "particles",
                                       .must_be = "a whole number from 1 to 1000000",
                                       .low = 1,
                                       .high = 1e6,
                                       .whole = true};
