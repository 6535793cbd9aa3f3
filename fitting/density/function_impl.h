/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_DENSITY_FUNCTION_IMPL_H
#define GREBE_FITTING_DENSITY_FUNCTION_IMPL_H

#include "core/tape.h"

/* Returns whether a node is a function of each point by itself: no noise, no samples that mix. If not, the
 * error names `what`. */
bool gb_density_is_function(gb_node node, const char *what);

#endif
