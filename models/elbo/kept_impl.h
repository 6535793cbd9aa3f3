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
    gb_dist prior;  /* gb_no_prior: none. Of a vector: inert */
    gb_dist q;      /* of a part, or of a point: inert */
    gb_node value;  /* what the model was recorded with: the draw, or the point */
    gb_node weight; /* of each row; inert: each counts once */
    size_t parts;   /* > 0: this is the vector of a block, whose parts are the `parts` before it */
    gb_dist joined; /* of a vector: the priors of all parts as one; inert: they are of several kinds */
    bool is_flat;   /* of a vector: there is no prior, and all parts are free numbers themselves */
} gb_kept;

/* Data that were observed, or a log likelihood of the caller's own. */
typedef struct gb_kept_outcome {
    const struct gb_kept_outcome *before;
    const char *name;
    gb_dist law;           /* inert: not known, and so are the data */
    gb_node data, density; /* what was given, and log p of each datum */
    gb_node weight;        /* of each datum; inert: each counts once */
    bool is_foreseen;      /* no term: for predictions alone */
} gb_kept_outcome;

/* Adds one. Its name is copied. */
void gb_elbo_keep_outcome(gb_elbo *e, gb_kept_outcome outcome);

/* A log density that is not that of an outcome, and how often each of its data counts. */
typedef struct gb_kept_weight {
    const struct gb_kept_weight *before;
    gb_node density, weight;
} gb_kept_weight;

/* Adds one. */
void gb_elbo_keep_weight(gb_elbo *e, gb_kept_weight weighed);

/* Returns the weights of the data with this log density; inert if each counts once. */
gb_node gb_elbo_weight_of(const gb_elbo *e, gb_node density);

/* Adds a latent, at the end. Its slot's name is copied. */
void gb_elbo_keep(gb_elbo *e, gb_kept latent);

/* Returns the name of a latent whose points are samples (gb_ensemble); NULL: there is none. */
const char *gb_elbo_ensemble(const gb_elbo *e);

/* Returns the name of the first latent, if all are points (gb_point); else NULL. */
const char *gb_elbo_all_points(const gb_elbo *e);

/* Returns whether a latent is there for each row, and not one latent with a draw for each. The other one
 * returns the name of such a latent; NULL: there is none. */
bool gb_kept_is_of_rows(const gb_kept *latent);
const char *gb_elbo_latent_of_rows(const gb_elbo *e);

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

/* Returns how many layers have stand-ins; writes what they drew and what stands for it, in the order of
 * recording, unless `from` is NULL. */
size_t gb_elbo_layers(const gb_elbo *e, gb_node *from, gb_node *to);

/* Writes them after `places` of the lists, each at what stands before it in the lists: layers depend on those
 * before. Returns false on error. */
bool gb_elbo_add_layers(const gb_elbo *e, size_t places, gb_node *from, gb_node *to, bool with_draws);

/* Stores what `count` nodes are where to[i] stands for from[i] and all layers are whole (core/replace.h;
 * `with_draws`: core/graph/replace_impl.h). Returns false on error. */
bool gb_elbo_replaced(const gb_elbo *e, size_t places, const gb_node *from, const gb_node *to, size_t count,
                      const gb_node *node, bool with_draws, gb_node *replaced);

#endif
