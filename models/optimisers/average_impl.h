/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_AVERAGE_IMPL_H
#define GREBE_MODELS_OPTIMISERS_AVERAGE_IMPL_H

#include "models/optimiser.h"

/* The assign of a variable's running mean, which begins after `after` steps; `next` is the next iterate. */
gb_updates gb_average_iterate(gb_node variable, gb_node next, gb_node step, double after);

#endif
