/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_DIVERGENCE_IMPL_H
#define GREBE_MODELS_ELBO_DIVERGENCE_IMPL_H

#include "models/elbo.h"

/* Returns whether the term of a latent is computed without its draw, depending on options and estimator. A
 * prior without a type (gb_no_prior): the entropy of q. */
bool gb_elbo_is_exact(const gb_elbo *e, gb_dist q, gb_dist prior, gb_estimator estimator);

/* Adds −KL(q ‖ prior), exact or sampled, depending on options and estimator. An exact one does not use
 * `draw`. `weight`, one number for each row, multiplies the row's KL; inert: 1. */
void gb_elbo_add_kl(gb_elbo *e, const char *name, gb_dist q, gb_dist prior, gb_node draw,
                    gb_estimator estimator, gb_node weight);

/* Adds the term E (log p − log q): log_p is log p of the draw, one number for each sample. */
void gb_elbo_add_sampled(gb_elbo *e, gb_term_kind kind, const char *name, gb_dist q, gb_node log_p,
                         gb_node draw);

/* Adds the entropy of q, exact or sampled: the term of a flat prior. `weight` as above. */
void gb_elbo_add_entropy(gb_elbo *e, const char *name, gb_dist q, gb_node draw, gb_estimator estimator,
                         gb_node weight);

#endif
