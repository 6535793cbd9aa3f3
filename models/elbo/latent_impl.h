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

/* Returns a draw from q of `family`. */
gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q,
                     gb_estimator estimator);

#endif
