/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CORE_RUN_TOLERANT_IMPL_H
#define GREBE_CORE_RUN_TOLERANT_IMPL_H

#include "core/program.h"

/* Makes the runs of a program succeed where an operation rejects its argument (gb_hold): the value is NaN,
 * and whoever reads the roots looks. For programs without assigns, before their first run. Does nothing for
 * NULL. `maker` tells its programs from others. */
void gb_program_tolerate(gb_program *program, const void *maker);
bool gb_program_is_by(const gb_program *program, const void *maker);

/* Makes the runs of a program fail where a root is not finite, with the reason. Before its first run. Does
 * nothing for NULL. */
void gb_program_demand_finite(gb_program *program);

#endif
