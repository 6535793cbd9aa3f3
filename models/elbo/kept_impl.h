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

/* Adds one, at the end. Its slot's name is copied. */
void gb_elbo_keep(gb_elbo *e, gb_kept latent);

/* Returns the name of a latent whose points are samples (gb_ensemble); NULL: there is none. */
const char *gb_elbo_ensemble(const gb_elbo *e);

/* What varies over rows in the place of one draw for all of them: what a layer drew, and the same layer with
 * one draw of its weight; or draws of a latent for each row, and one draw from q (inert until gb_elbo_whole
 * needs it). */
typedef struct gb_stand_in {
    struct gb_stand_in *before;
    const char *name; /* of the latent */
    gb_node drawn, whole;
    gb_dist q; /* of draws for each row; of a layer inert */
} gb_stand_in;

/* Adds one, at the end. */
void gb_elbo_add_stand_in(gb_elbo *e, gb_stand_in of);

/* Stores what `count` nodes are where to[i] stands for from[i] and all layers are whole (core/replace.h;
 * `with_draws`: core/graph/replace_impl.h). Returns false on error. */
bool gb_elbo_replaced(const gb_elbo *e, size_t places, const gb_node *from, const gb_node *to, size_t count,
                      const gb_node *node, bool with_draws, gb_node *replaced);

#endif
