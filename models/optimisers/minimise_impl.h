/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_minimise is put together from: what holds for every optimiser. */
#ifndef GREBE_MODELS_OPTIMISERS_MINIMISE_IMPL_H
#define GREBE_MODELS_OPTIMISERS_MINIMISE_IMPL_H

#include "models/optimiser.h"

/* Whether the options, its own and the head's, make sense; else the tape says which does not. */
bool gb_optimiser_is_right(const gb_optimiser *optimiser, gb_tape *tape);

/* Whether two are one: type, rate, schedule, and what the type lists among its options. */
bool gb_optimiser_same(const gb_optimiser *a, const gb_optimiser *b);

/* The rate of the run, a real scalar. */
gb_node gb_optimiser_rate(const gb_optimiser *optimiser, gb_node step);

/* Replaces gradients by clipped ones. 0: not. */
void gb_clip_gradients(double by_value, double by_norm, size_t count, gb_node *gradients);

/* The assign of a variable's running mean, whose next value is `next`. */
gb_updates gb_average_iterate(gb_node variable, gb_node next, gb_node step, double after);

/* gb_minimise, and for an optimiser that tries points (gb_update_rest) how to get from the point on trial to the one that was
 * accepted, and back; else no update. */
typedef struct gb_minimised {
    gb_updates step, settle, go_on;
} gb_minimised;
gb_minimised gb_minimise_all(const gb_minimise_options *options);

#endif
