/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The latents of a model while it is recorded, and the nodes that it shows. */
#ifndef GREBE_READY_MODEL_PARTS_IMPL_H
#define GREBE_READY_MODEL_PARTS_IMPL_H

#include "ready/model.h"

typedef struct gb_model_nodes {
    size_t count, room;
    gb_node *node;
} gb_model_nodes;

typedef struct gb_model_parts {
    size_t count, room;
    gb_latent_part *part;
    gb_node *draw; /* after gb_model_draw; NULL before */
    gb_model_nodes shown, kept;
    size_t imputed;           /* the part of missing outcomes, plus 1; 0: none */
    gb_node outcome;          /* with them */
    gb_node log_p;            /* of each row, given the latents */
    const double *present;    /* of a model without outcome: 0 where a number of the training is missing */
    const int64_t *group;     /* of each row of the training; NULL: none */
    const double *offset;     /* the same */
    const double *trials;     /* the same */
    bool is_usual_mean_field; /* the posterior was chosen so, for many numbers */
    bool has_scaled_slopes;   /* with a prior that is not flat */
    gb_node new_y;            /* of rows that were not seen: gb_model_foresee */
    gb_node new_weight;       /* of these, or by which predictions of rows are scored */
} gb_model_parts;

/* Makes the list of a site. Returns false on error. */
bool gb_model_parts_new(gb_model_site *site);

#endif
