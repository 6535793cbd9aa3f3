/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_POSTERIOR_IMPL_H
#define GREBE_MODELS_ELBO_POSTERIOR_IMPL_H

#include "models/elbo.h"

/* Returns the latent of that name; NULL: there is none. */
struct gb_own_latent *gb_elbo_own_latent(const gb_elbo *e, const char *name);

/* Registers q under this name, for gb_elbo_posterior. */
void gb_elbo_note_latent(gb_elbo *e, const char *name, gb_dist q, bool is_flat);

/* Returns the distribution of a point. Inert for the members of an ensemble: they are samples. */
gb_dist gb_elbo_posterior_of_point(gb_node value);

#endif
