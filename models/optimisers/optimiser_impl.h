/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_OPTIMISER_IMPL_H
#define GREBE_MODELS_OPTIMISERS_OPTIMISER_IMPL_H

#include "models/optimiser.h"

/* Returns whether two optimisers are equal: type, rate, schedule, and the options of the table. */
bool gb_optimiser_same(const gb_optimiser *a, const gb_optimiser *b);

/* Returns the learning rate of a run, a real scalar, from the options and the step of `to`. */
gb_node gb_optimiser_rate(const gb_update_step *to);

/* Stores a noise that the loss depends on; inert: there is none. Returns false on error. */
bool gb_optimiser_find_noise(gb_node loss, gb_node *noise);

#endif
