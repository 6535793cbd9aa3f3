/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence lower bound, inside: its terms, and what its files share. */
#ifndef GREBE_MODELS_ELBO_ELBO_IMPL_H
#define GREBE_MODELS_ELBO_ELBO_IMPL_H

#include "models/elbo.h"
#include "models/optimiser.h"

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
    gb_program *moments; /* of gb_posterior_read; NULL: not asked for so far */
    gb_node mean, sd;    /* its roots */
} gb_own_latent;

/* What gb_fit made of it, for the next call. */
typedef struct gb_elbo_training {
    gb_program *program;         /* NULL: nothing yet */
    gb_program *settle, *go_on;  /* NULL: the optimiser needs none (gb_minimised) */
    gb_minimise_options choices; /* by which it was made */
    /* Read after each step; the last, of the gradient, is none where nobody asked. */
    gb_node elbo, kl_weight, squared_norm;
} gb_elbo_training;

/* What gb_elbo_print reads of a term: nodes of its own, which no program has but those that have all. What terms share
 * with other programs may be of another run. */
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
    gb_elbo_line *
        lines; /* of each term, and the value of the bound, for gb_elbo_print; NULL: nobody asked for the roots so far */
    gb_elbo_training training;
};

/* Whether a term `name` can be added; else the tape says why not, in the words of `what`. */
bool gb_elbo_can_add(const gb_elbo *e, const char *what, const char *name);

/* What a sum over rows is multiplied by: 1, or data_size / rows for what varies over rows. */
gb_node gb_elbo_scale(gb_elbo *e, gb_axes axes);

/* Adds a term. `each` is scaled, and weighted if it is KL; one number for each sample or one for all. */
void gb_elbo_add(gb_elbo *e, gb_term_kind kind, const char *name, gb_node each, gb_node scale);

/* The same for a log density, which is summed and scaled. */
void gb_elbo_add_summed(gb_elbo *e, gb_term_kind kind, const char *name, gb_node log_density);

/* Whether a latent takes the prior: one of this tape, or gb_no_prior, that broadcasts to `shape`. */
bool gb_elbo_prior_fits(gb_elbo *e, const char *name, gb_shape shape, gb_dist prior);

/* A prior for each row would count a latent that is there once as often as there are rows. */
bool gb_elbo_rows_fit(gb_elbo *e, const char *name, gb_axes posterior, gb_axes prior);

/* A draw from q of `family`, which gb_posterior finds from now on. */
gb_node gb_elbo_draw(gb_elbo *e, const char *name, const gb_family *family, gb_dist q,
                     gb_estimator estimator);
void gb_elbo_note_latent(gb_elbo *e, const char *name, gb_dist q, bool has_no_kl);

/* −KL(q ‖ prior), exact or sampled, as the draw's estimator needs it; and from log p of the draw. */
void gb_elbo_add_kl(gb_elbo *e, const char *name, gb_dist q, gb_dist prior, gb_node draw,
                    gb_estimator estimator);
void gb_elbo_add_sampled_kl(gb_elbo *e, const char *name, gb_dist q, gb_node log_p, gb_node draw);

/* What looks like a mistake, in words; NULL: nothing does. Of a log likelihood: that its rows are gone, that it was
 * averaged; of a complete ELBO: that it trains variables of no latent. */
const char *gb_elbo_lost_rows(gb_node log_p);
const char *gb_elbo_averaged(gb_node log_p);
const char *gb_elbo_without_kl(const gb_elbo *e);

#endif
