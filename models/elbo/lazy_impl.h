/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_LAZY_IMPL_H
#define GREBE_MODELS_ELBO_LAZY_IMPL_H

#include "models/lazy.h"

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
    gb_node weight; /* of each row; inert: each counts once */
    gb_lazy_use use;
} gb_own_lazy;

/* Returns whether a layer has the latent's draw aside, and none stands in its place yet. */
bool gb_lazy_is_aside(const gb_lazy *w);

#endif
