/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_LATENT_IMPL_H
#define GREBE_MODELS_ELBO_LATENT_IMPL_H

#include "models/lazy.h"

/* Checks the prior of a latent: it must be gb_no_prior, or a distribution of this tape that broadcasts to
 * `shape`. */
bool gb_elbo_prior_fits(gb_elbo *e, const char *name, gb_shape shape, gb_dist prior);

/* Rejects a prior that varies over rows for a posterior that does not: the latent would be counted once for
 * each row. */
bool gb_elbo_rows_fit(gb_elbo *e, const char *name, gb_axes posterior, gb_axes prior);

/* Returns a draw from q of `family`. */
gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q,
                     gb_estimator estimator);

/* What a latent is used for. */
typedef enum gb_lazy_use {
    GB_LAZY_UNUSED,
    GB_LAZY_DRAWN,   /* one draw for all rows; or a point */
    GB_LAZY_BY_ROW,  /* a draw for each row */
    GB_LAZY_ASIDE,   /* a draw for whole functions, and for a sampled KL */
    GB_LAZY_NOISE,   /* a draw of which a layer makes its noise */
    GB_LAZY_REPLACED /* besides, a layer stands in its place */
} gb_lazy_use;

typedef struct gb_own_lazy {
    gb_lazy seen; /* first: what the user has points to it */
    struct gb_own_lazy *before;
    gb_slot slot;
    gb_family family;
    gb_dist prior;
    gb_lazy_use use;
} gb_own_lazy;

/* Makes the value of an unused latent, and adds its term. */
gb_node gb_elbo_use(gb_own_lazy *own, gb_lazy_use as);

#endif
