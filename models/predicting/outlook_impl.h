/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a prediction reads: nodes at draws of the latents, recorded once for each ELBO and outcome.
 *
 * Draws are those of q (expectation/at_draws_impl.h), or values that stand in the place of the latents. Means
 * take the weights of weighted values; draws of the outcome are made at draws of the latents alone. */
#ifndef GREBE_MODELS_PREDICTING_OUTLOOK_IMPL_H
#define GREBE_MODELS_PREDICTING_OUTLOOK_IMPL_H

#include "estimators/expectation/at_draws_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"

/* Where the latents are. */
typedef struct gb_standpoint {
    gb_at_draws exact; /* weighted values stay */
    gb_at_draws drawn; /* all are drawn; the same as `exact` if there are no weighted values */
    bool is_same;
} gb_standpoint;

/* The nodes of an outcome: for each row, one sample. Inert ones do not exist. */
typedef struct gb_view {
    gb_node mean;                 /* of the outcome, given the latents */
    gb_node spread;               /* variance of that mean over weighted values; inert: there are none */
    gb_node noise;                /* variance of the outcome, given the latents */
    gb_node log_p;                /* of the data: one number for each event */
    gb_node data, weight;         /* weight of each datum; inert: each counts once */
    gb_node probability, entropy; /* of classes: shape (classes) + batch; batch */
    gb_node draw;                 /* of the outcome */
    gb_shape shape, batch;        /* of an outcome, and of its log density */
    int64_t classes;              /* 0: the outcome is no class */
    bool is_discrete, has_rows, mixes_rows;
    const char *seen_by; /* a latent of each row whose q depends on the outcome; NULL: none */
} gb_view;

/* What an ELBO keeps for predictions. */
typedef struct gb_outlook {
    gb_standpoint q;
    struct gb_predictor *predictors; /* prediction/predict/predictor_impl.h */
    struct gb_held_out *held_out;    /* held_out_impl.h */
} gb_outlook;

/* Completes the ELBO, and records the draws of q at the first call. NULL on error. */
gb_outlook *gb_outlook_of(gb_elbo *e);

/* Returns the outcome of that name. NULL, with an error that begins with `who`, if there is none. */
const gb_kept_outcome *gb_outcome_named(const gb_elbo *e, const char *who, const char *name);

/* Record the view of an outcome whose law is known, with draws from a stream; of any node of the model, which
 * has no noise besides that of the latents; and only `log_p`. Return false on error. */
bool gb_view_outcome(const gb_standpoint *at, const gb_kept_outcome *outcome, gb_noise noise, gb_view *view);
bool gb_view_node(const gb_standpoint *at, gb_node node, gb_view *view);
bool gb_view_density(const gb_standpoint *at, const gb_kept_outcome *outcome, gb_view *view);

#endif
