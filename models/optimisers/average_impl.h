/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_AVERAGE_IMPL_H
#define GREBE_MODELS_OPTIMISERS_AVERAGE_IMPL_H

#include "models/optimiser.h"

/* Returns the assign of the running mean of a variable; it begins after `after` steps. `next` is the next
 * iterate. */
gb_updates gb_average_iterate(gb_node variable, gb_node next, gb_node step, double after);

#endif
