/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_OPTIMISER_IMPL_H
#define GREBE_MODELS_OPTIMISERS_OPTIMISER_IMPL_H

#include "models/optimiser.h"

/* Whether two are one: type, rate, schedule, and what the type lists among its options. */
bool gb_optimiser_same(const gb_optimiser *a, const gb_optimiser *b);

/* Whether the options, its own and the head's, make sense; else the tape says which does not. */
bool gb_optimiser_is_right(const gb_optimiser *optimiser, gb_tape *tape);

/* The learning rate of a run, a real scalar, by the options and the step of `to`. */
gb_node gb_optimiser_rate(const gb_update_step *to);

#endif
