/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of an ELBO, its latents and terms, and how terms are added. */
#ifndef GREBE_MODELS_ELBO_ELBO_IMPL_H
#define GREBE_MODELS_ELBO_ELBO_IMPL_H

#include "models/elbo.h"

typedef struct gb_own_term {
    struct gb_own_term *before;
    gb_elbo_term shown;
    gb_node each;    /* scaled: one number for each sample, or one for all */
    gb_node density; /* of gb_prior: the same without the weight of KL; else inert */
    gb_node row;     /* for a bound of several draws: unscaled, and for each row; else inert */
} gb_own_term;

typedef struct gb_own_latent {
    struct gb_own_latent *before;
    const char *name;
    gb_dist q;           /* inert: no formula (a part of a block) */
    bool is_flat;        /* no prior of its own, and not a point */
    bool lacks_entropy;  /* besides, q has no density */
    gb_program *moments; /* program of gb_elbo_posterior_read; NULL: not compiled yet */
    gb_node mean, sd;    /* roots of that program */
} gb_own_latent;

/* The nodes of a term that gb_elbo_print reads. Only programs with all of gb_elbo_roots have these nodes;
 * nodes that other programs share could have values of another run. */
typedef struct gb_elbo_line {
    gb_node value, error, scale, weight;
} gb_elbo_line;

struct gb_elbo {
    gb_tape *tape;
    gb_elbo_options options;
    gb_expect *expect;
    gb_own_term *last;
    gb_own_latent *latents;
    const struct gb_kept *kept; /* the latents as they were given, the newest first: kept_impl.h */
    const struct gb_kept_outcome *outcomes; /* the same of data */
    const struct gb_kept_weight *weighed;   /* the same of weights of other log likelihoods */
    struct gb_own_lazy *lazy;               /* lazy latents, the newest first: latent_impl.h */
    struct gb_stand_in *stand_ins;          /* what layers drew in the place of weights: kept_impl.h */
    size_t count;
    bool has_point, has_draw, has_rows;
    size_t drawn, sleepers; /* latents with draws, and those of them with gb_sleep() */
    bool has_density;       /* a term that may be above 0: of data, a factor, an entropy */
    bool part_of_data;      /* as the last gb_fit was told */
    gb_node kl_step;        /* step of .kl_schedule; inert without a schedule */
    gb_node loss;           /* inert until the ELBO is complete; then no terms can be added */
    gb_node sampled;        /* the sum of the terms that depend on draws; made with `loss` */
    gb_node bound;          /* the bound, for the whole data set; made with `loss` */
    gb_axes replicates;     /* hidden axes of copies side by side (swap_impl.h); 0: none */
    gb_elbo_term *terms;    /* made with `loss` */
    /* For gb_elbo_print: one for each term, then the value of the bound. NULL: gb_elbo_roots was not
     * called. */
    gb_elbo_line *lines;
    struct gb_elbo_training *training;     /* state of gb_fit for its next call; NULL: none */
    struct gb_onlooker *onlookers;         /* of trainings by gb_fit, the newest first; NULL: none */
    struct gb_elbo_training *own_training; /* the same of GB_FIT_STOCHASTIC */
    struct gb_density *density;            /* the latest of fitting/density.h; NULL: none */
    struct gb_kept_starts *starts;         /* what gb_fit found besides, for gb_judge; NULL: nothing */
    struct gb_outlook *outlook;            /* what predictions have recorded; NULL: nothing */
};

/* Returns whether a layer of this ELBO can take x. If not, records an error that begins with `who`, or x is
 * of an earlier failure. */
bool gb_elbo_takes(gb_elbo *e, gb_node x, const char *who);

/* Returns whether a term `name` can be added. If not, records an error that begins with `what`. */
bool gb_elbo_can_add(const gb_elbo *e, const char *what, const char *name);

/* Returns whether a value of a complete ELBO cannot be right: above 0, though the data are discrete. `weight`
 * is that of KL. By chance a right one is rejected less than once in 10⁸ values. */
bool gb_elbo_is_impossible(const gb_elbo *e, double elbo, double weight);

/* Returns the factor of a sum over rows: data_size / rows if `axes` contains GB_ROWS, else 1. */
gb_node gb_elbo_scale(gb_elbo *e, gb_axes axes);

/* Adds a term. `each` is scaled (and weighted, for KL): one number for each sample, or one for all. */
void gb_elbo_add(gb_elbo *e, gb_term_kind kind, const char *name, gb_node each, gb_node scale);

/* Returns the value that is trained, without a gradient: the sum of the terms, or the bound if it is another
 * one. Inert on error. */
gb_node gb_elbo_objective(gb_elbo *e);

/* Returns whether the bound takes several draws, and so needs whole log weights. */
bool gb_elbo_has_particles(const gb_elbo *e);

/* Adds a term for a log density, which is summed and scaled here. */
void gb_elbo_add_summed(gb_elbo *e, gb_term_kind kind, const char *name, gb_node log_density);

#endif
