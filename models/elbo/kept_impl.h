/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The latents of an ELBO as they were given, for code that evaluates the model at other values than draws. */
#ifndef GREBE_MODELS_ELBO_KEPT_IMPL_H
#define GREBE_MODELS_ELBO_KEPT_IMPL_H

#include "models/elbo.h"

/* A latent, a part of a block, or the vector of a block. */
typedef struct gb_kept {
    const struct gb_kept *before;
    gb_slot slot; /* of a vector: the free numbers of all parts, in order */
    gb_family family;
    gb_dist prior; /* gb_no_prior: none. Of a vector: inert */
    gb_dist q;     /* of a part, or of a point: inert */
    gb_node value; /* what the model was recorded with: the draw, or the point */
    size_t parts;  /* > 0: this is the vector of a block, whose parts are the `parts` before it */
} gb_kept;

/* Data that were observed, or a log likelihood of the caller's own. */
typedef struct gb_kept_outcome {
    const struct gb_kept_outcome *before;
    const char *name;
    gb_dist law;           /* inert: not known, and so are the data */
    gb_node data, density; /* what was given, and log p of each datum */
} gb_kept_outcome;

/* Adds one. Its name is copied. */
void gb_elbo_keep_outcome(gb_elbo *e, gb_kept_outcome outcome);

/* Adds a latent, at the end. Its slot's name is copied. */
void gb_elbo_keep(gb_elbo *e, gb_kept latent);

#endif
