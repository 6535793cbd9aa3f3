/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_LATENT_IMPL_H
#define GREBE_MODELS_ELBO_LATENT_IMPL_H

#include "models/elbo.h"

/* Whether a latent takes the prior: one of this tape, or gb_no_prior, that broadcasts to `shape`. */
bool gb_elbo_prior_fits(gb_elbo *e, const char *name, gb_shape shape, gb_dist prior);

/* A prior for each row would count a latent that is there once as often as there are rows. */
bool gb_elbo_rows_fit(gb_elbo *e, const char *name, gb_axes posterior, gb_axes prior);

/* A draw from q of `family`, which gb_elbo_posterior finds from now on. */
gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q,
                     gb_estimator estimator);

/* Adds −KL(q ‖ prior), exact or sampled, as the draw's estimator needs it. */
void gb_elbo_add_kl(gb_elbo *e, const char *name, gb_dist q, gb_dist prior, gb_node draw,
                    gb_estimator estimator);

/* Adds the sampled one: log_p is log p of the draw. */
void gb_elbo_add_sampled_kl(gb_elbo *e, const char *name, gb_dist q, gb_node log_p, gb_node draw);

#endif
