/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_minimise is put together from: what holds for every optimiser. */
#ifndef GREBE_MODELS_MINIMISE_IMPL_H
#define GREBE_MODELS_MINIMISE_IMPL_H

#include "models/optimiser.h"

/* Whether the options, its own and the head's, make sense; else the tape says which does not. */
bool gb_optimiser_is_right(const gb_optimiser *optimiser, gb_tape *tape);

/* The rate of the run, a real scalar. */
gb_node gb_optimiser_rate(const gb_optimiser *optimiser, gb_node step);

/* Replaces gradients by clipped ones. 0: not. */
void gb_clip_gradients(double by_value, double by_norm, size_t count, gb_node *gradients);

/* The assign of a variable's running mean, whose next value is `next`. */
gb_updates gb_average_iterate(gb_node variable, gb_node next, gb_node step, double after);

#endif
