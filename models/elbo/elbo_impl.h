/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence lower bound, inside: its latents and terms, and how terms are added. */
#ifndef GREBE_MODELS_ELBO_ELBO_IMPL_H
#define GREBE_MODELS_ELBO_ELBO_IMPL_H

#include "models/elbo.h"

typedef struct gb_own_term {
    struct gb_own_term *before;
    gb_elbo_term shown;
    gb_node each; /* scaled, one number for each sample, or one for all */
} gb_own_term;

typedef struct gb_own_latent {
    struct gb_own_latent *before;
    const char *name;
    gb_dist q;           /* inert: of a part of a block, no formula is known */
    bool has_no_kl;      /* it has no prior, and is no point: nothing holds its q back */
    gb_program *moments; /* of gb_elbo_posterior_read; NULL: not asked for so far */
    gb_node mean, sd;    /* its roots */
} gb_own_latent;

/* What gb_elbo_print reads of a term: nodes that only programs with all of gb_elbo_roots have. Nodes that
 * other programs have too may hold values of another run. */
typedef struct gb_elbo_line {
    gb_node value, error, scale, weight;
} gb_elbo_line;

struct gb_elbo {
    gb_tape *tape;
    gb_elbo_options options;
    gb_expect *expect;
    gb_own_term *last;
    gb_own_latent *latents;
    size_t count;
    bool has_point, has_draw, has_rows;
    gb_node kl_step;     /* of .kl_schedule; none without */
    gb_node loss;        /* once it was asked for; nothing can be added then */
    gb_node bound;       /* and this, for the data set */
    gb_elbo_term *terms; /* and these */
    /* Of each term, then the value of the bound; for gb_elbo_print. NULL: nobody asked for the roots. */
    gb_elbo_line *lines;
    struct gb_elbo_training *training; /* what gb_fit made of it, for its next call; NULL: nothing yet */
};

/* Whether a term `name` can be added; else the tape says why not, in the words of `what`. */
bool gb_elbo_can_add(const gb_elbo *e, const char *what, const char *name);

/* What a sum over rows is multiplied by: 1, or data_size / rows for what varies over rows. */
gb_node gb_elbo_scale(gb_elbo *e, gb_axes axes);

/* Adds a term. `each` is scaled, and weighted if it is KL; one number for each sample or one for all. */
void gb_elbo_add(gb_elbo *e, gb_term_kind kind, const char *name, gb_node each, gb_node scale);

/* The same for a log density, which is summed and scaled. */
void gb_elbo_add_summed(gb_elbo *e, gb_term_kind kind, const char *name, gb_node log_density);

#endif
