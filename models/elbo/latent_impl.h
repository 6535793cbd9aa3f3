/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_LATENT_IMPL_H
#define GREBE_MODELS_ELBO_LATENT_IMPL_H

#include "models/elbo.h"

/* Checks the prior of a latent: it must be gb_no_prior, or a distribution of this tape that broadcasts to
 * `shape`. */
bool gb_elbo_prior_fits(gb_elbo *e, const char *name, gb_shape shape, gb_dist prior);

/* Rejects a prior that varies over rows for a posterior that does not: the latent would be counted once for
 * each row. */
bool gb_elbo_rows_fit(gb_elbo *e, const char *name, gb_axes posterior, gb_axes prior);

/* Returns a draw from q of `family`, and registers q for gb_elbo_posterior. */
gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q, gb_estimator estimator,
                     bool is_flat);

/* Adds −KL(q ‖ prior), exact or sampled, depending on options and estimator. */
void gb_elbo_add_kl(gb_elbo *e, const char *name, gb_dist q, gb_dist prior, gb_node draw,
                    gb_estimator estimator);

/* Adds the term E (log p − log q): log_p is log p of the draw, one number for each sample. */
void gb_elbo_add_sampled(gb_elbo *e, gb_term_kind kind, const char *name, gb_dist q, gb_node log_p,
                         gb_node draw);

/* Adds the entropy of q of the latest latent, exact or sampled: the term of a flat prior. */
void gb_elbo_add_entropy(gb_elbo *e, const char *name, gb_dist q, gb_node draw, gb_estimator estimator);

#endif
