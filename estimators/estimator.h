/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators of gradients of expectations: const structs of two functions, `draw` and `combine`.
 *
 * A *site* is one stochastic choice: a distribution, and the estimator of the gradient in its parameters.
 * `draw` records the draw of a site. `combine` takes the cost of the draws and returns a cost whose value
 * estimates E[f] and whose gradient estimates the gradient of E[f]. Some estimators need the cost at several
 * values, its *evaluations*: `draw` then returns all of these values, and `combine` receives the cost of
 * each.
 *
 * The estimators of grebe are in estimators/list.h. Your own is a gb_estimator_type and a function that
 * returns a gb_estimator, in one file (docs/add-an-estimator.md), as each of grebe's is. */
#ifndef GREBE_ESTIMATORS_ESTIMATOR_H
#define GREBE_ESTIMATORS_ESTIMATOR_H

#include "../distributions/distribution.h"
#include "baseline.h"

GB_BEGIN_DECLS

typedef struct gb_estimator_type gb_estimator_type;
typedef struct gb_site gb_site;
typedef struct gb_expect gb_expect;

/* An estimator with its options, by value. With type NULL, the function that takes it records an error. */
typedef struct gb_estimator {
    const gb_estimator_type *type;
    gb_packed options;
} gb_estimator;

/* What an estimator may need. GB_NEEDS(GB_CAN_RSAMPLE) is an ability of the distribution; those below are
 * properties of the distribution or of the cost. */
#define GB_NEEDS(ability) (1u << (ability))
enum {
    GB_JOINS_PAIRS = 1 << 19,            /* with GB_JOINS_SAMPLES: only samples 2k and 2k + 1 depend on each
                                            other */
    GB_RELAXES_LATER = 1 << 20,          /* a property: at its probes, what depends on it is relaxed */
    GB_NEEDS_MODEL = 1 << 21,            /* a gb_elbo, which adds what q descends */
    GB_NEEDS_LATER_PATHS = 1 << 22,      /* draws that depend on this one are reparameterised too */
    GB_NEEDS_BOUND = 1 << 23,            /* cost: a bound of several draws (bound.h) */
    GB_NEEDS_FIXED_SUPPORT = 1 << 24,    /* distribution: its support does not depend on the parameters */
    GB_NEEDS_SEPARATE_SAMPLES = 1 << 25, /* cost: one sample does not depend on the draws of others */
    GB_NEEDS_SEPARATE_ROWS = 1 << 26,    /* cost: a sum over rows, if draws vary over rows */
    GB_NEEDS_SMOOTH_COST = 1 << 27,      /* cost: continuous in the draw */
    GB_NEEDS_OWN_LOG_PROB = 1 << 28,     /* cost: contains gb_draw_log_prob of the draw */
    GB_JOINS_SAMPLES = 1 << 29,          /* a property: the draws of one run depend on each other */
    GB_NEEDS_SLOPES = 1 << 30            /* cost: `combine` differentiates it at its evaluations. Part of
                                            GB_NEEDS_SMOOTH_COST; alone, the cost may jump elsewhere */
};

/* How the draws of one run depend on each other (gb_pathwise in list.h). */
typedef enum gb_draws { GB_INDEPENDENT, GB_ANTITHETIC, GB_SOBOL } gb_draws;

/* How the evaluations of different sites combine. */
typedef enum gb_expansion {
    GB_ONE_EVALUATION,
    /* Evaluation 0 is the draw. At the other evaluations of a site, all sites that do not depend on it stay
     * at their evaluation 0. So the numbers of evaluations of independent sites add up: 1 + Σ (n − 1). They
     * also do for sites that depend on each other, if all are `first_order`, none but the last needs a smooth
     * cost (GB_NEEDS_SMOOTH_COST), and no other draw lies between; sites that depend on a probed one are
     * drawn anew at its probes, with the same noise. A site with GB_RELAXES_LATER may need a smooth cost, if
     * what depends on it has a `relaxed` draw, and takes that at its probes. Otherwise they multiply. So do
     * those of an independent site that needs slopes of the cost (GB_NEEDS_SMOOTH_COST, GB_NEEDS_SLOPES) and
     * is drawn after a weighted sum, with the numbers of the sites before that sum. */
    GB_PROBES,
    /* A weighted sum over values. The numbers of evaluations of different sites multiply. The values may be
     * drawn if `weights` are not. */
    GB_WEIGHTS,
    /* The same with values that are drawn among all, so the weights are random too. They need not sum to 1:
     * the mean of the weighted sum is the expectation. */
    GB_DRAWN_WEIGHTS,
    /* Probes of all such sites of one type together: evaluation i has every one of them at its value i, which
     * `draw` makes of the values i of those before it. So any number of them takes as many evaluations as
     * one, also if they depend on each other and no other draw lies between. The type must be `first_order`.
     * The values but the first may have gradients: the slope of the cost in value i of a site
     * (GB_NEEDS_SLOPES) also counts what follows on it in evaluation i. Otherwise as GB_PROBES. */
    GB_PROBES_TOGETHER
} gb_expansion;

/* The type of an estimator. */
struct gb_estimator_type {
    GB_PLUGIN_HEAD;   /* `formula` is the gradient estimate of one sample */
    const char *bias; /* OPTIONAL: why the mean of the estimate is not the gradient. NULL: unbiased */
    /* GB_NEEDS…, joined by |. 0: only draws and a log density, which all distributions have */
    unsigned needs;
    /* OPTIONAL: returns what else the estimator needs and `q` lacks, as a noun phrase ("list of logits");
     * NULL: nothing. If `options` is NULL, it returns NULL when some options would fit. */
    const char *(*lacks)(const gb_dist *q, const void *options);
    /* `evaluations` is REQUIRED unless `expansion` is GB_ONE_EVALUATION: the number of evaluations for each
     * sample. It returns 0 on failure; the error is on the tape `site->q.tape`. */
    gb_expansion expansion;
    int64_t (*evaluations)(const gb_site *site);
    /* True: a gradient of the gradient, in the parameters of the site, would be wrong. It is an error that
     * names the estimator. */
    bool first_order;
    /* True: the parameters get no gradient through the site's own log q in the cost, at a fixed draw. That
     * part of the gradient has mean zero. */
    bool drops_own_path;
    /* True: draws of a discrete distribution may lie between its values. log_prob then evaluates its formula
     * there. */
    bool relaxes;
    /* REQUIRED: returns the draw, one for each place along site->axes; with several evaluations, an array of
     * draws along a new first axis. The caller marks the draw as open. The function may store nodes for
     * `combine` in site->kept. */
    gb_node (*draw)(gb_site *site);
    /* OPTIONAL if there is one evaluation. NULL: the cost stays unchanged. `cost` is real: one number for
     * each sample (and row, if site->per contains GB_ROWS); with several evaluations, a vector. The function
     * returns one number, which has the value of the cost at each sample, or another value with the same
     * mean. The mean of its gradient is the gradient of E[cost], in all nodes that the cost and the
     * parameters of the site depend on. */
    gb_node (*combine)(const gb_site *site, gb_node cost);
    /* OPTIONAL: returns further needs, which depend on the options. Wherever needs are checked, these count
     * as those in `needs` do. */
    unsigned (*needs_with)(const void *options);
    /* OPTIONAL, for GB_WEIGHTS and GB_DRAWN_WEIGHTS: returns the weights of the values, a vector for each
     * sample (and row, if site->per contains GB_ROWS). `combine` has the value of the weighted sum. Those of
     * GB_WEIGHTS sum to 1. NULL: gb_mean_of_draws fails for this estimator. */
    gb_node (*weights)(const gb_site *site);
    /* OPTIONAL: returns the draw as a smooth function of the parameters, made of the noise of the draw, with
     * the gradient in the parameters. It is called after `draw`. NULL: the site cannot be relaxed at the
     * probes of an earlier one (GB_RELAXES_LATER). */
    gb_node (*relaxed)(const gb_site *site);
    GB_RESERVE(7);
};

/* Returns what the estimator needs and the distribution lacks, as a noun phrase ("reparameterised sampler");
 * NULL if they fit. gb_estimator_type_lacks returns NULL if the type fits with some options. An estimator or
 * a distribution without a type fits nothing. */
GB_API const char *gb_estimator_lacks(gb_estimator estimator, gb_dist distribution);
GB_API const char *gb_estimator_type_lacks(const gb_estimator_type *type, gb_dist distribution);

/* Returns all needs of an estimator, also those that depend on its options. 0 if its type is NULL. */
GB_API unsigned gb_estimator_needs(gb_estimator estimator);

enum { GB_SITE_KEEPS = 6 };

/* A site. Estimators and baselines read it; the expectation owns it. */
struct gb_site {
    size_t size; /* sizeof(gb_site) */
    const char *name;
    gb_dist q;
    gb_estimator estimator;
    const void *options; /* options struct of the estimator's type, with defaults filled in */
    gb_noise noise;      /* stream of noise of the draws, with the name of the site */
    gb_axes axes;        /* hidden axes of the draws: the samples, and the axes of the parameters of q */
    gb_axes particles;   /* that of them along which a bound takes several draws; 0: none */
    gb_node kept[GB_SITE_KEEPS];

    int64_t evaluations;
    gb_axes axis;   /* hidden axis of the evaluations; 0: there is only one */
    int64_t place;  /* index of evaluation 1 along `axis` */
    gb_node values; /* the result of `draw` */
    gb_node draw;   /* the draw that the user has: open, with `axis` */

    /* Valid in `combine` only: */
    gb_axes per;            /* hidden axes of the cost: GB_SAMPLES; GB_ROWS too if its rows are separate */
    gb_node own;            /* result of gb_draw_log_prob; inert if the cost does not contain it */
    gb_node own_weight;     /* its weight */
    gb_node log_weight;     /* with a bound of several draws: log w at each of them; else inert */
    gb_expect *expectation; /* for the functions of learn.h */
    const gb_site *before;  /* site that was drawn before; NULL for the first */
    gb_dist prior;          /* that of gb_draw_log_prior; inert without it */
    gb_node log_prior;      /* the result of gb_draw_log_prior */
};

/* ---- for authors of estimators ---- */

/* Returns the estimator of a type with these options (an options struct; NULL: all defaults). For
 * constructors. */
GB_API gb_estimator gb_estimator_of(const gb_estimator_type *type, const void *options);

/* Returns the value of one evaluation, as `draw` returned it. */
GB_API gb_node gb_site_value(const gb_site *site, int64_t evaluation);

/* Returns the cost of one evaluation. */
GB_API gb_node gb_evaluation(gb_node costs, int64_t evaluation);

/* Returns log q(z) of the draw (evaluation 0), with z held fixed: its gradient is the score of the
 * parameters. The result is one number for each sample, and for each row if the cost has rows. Over particles
 * it is the sum, as in all that follows: a bound has one cost for all of them. */
GB_API gb_node gb_site_log_prob(const gb_site *site);

/* Like gb_site_log_prob, for every evaluation: a vector, if there are several. Between the values of a
 * discrete distribution it evaluates the formula of log_prob. */
GB_API gb_node gb_site_log_probs(const gb_site *site);

/* Returns the sum of x over its shape and the particles, and over rows if the cost has none. */
GB_API gb_node gb_site_sum(const gb_site *site, gb_node x);

/* Returns `cost` with the gradient of cost plus Σ a · ∂l, as gb_inject does; the sum is over the shape of l,
 * over particles, and over rows if the cost has none. */
GB_API gb_node gb_site_inject(const gb_site *site, gb_node cost, gb_node l, gb_node a);

/* Returns the cost without one part of its gradient: the gradient in the site's parameters through the site's
 * own log q, with z held fixed. That part has mean zero and is mostly noise. Most types set `drops_own_path`
 * instead; this function is for types that also need the cost with that part. In a bound of several draws the
 * part has a mean, and the cost is returned as it is. */
GB_API gb_node gb_site_drop_own_path(const gb_site *site, gb_node cost);

/* The same in a bound of several draws: removes the part, whose mean the estimator has to give otherwise. */
GB_API gb_node gb_site_stop_own_path(const gb_site *site, gb_node cost);

/* Returns the gradient of Σ x, over its shape and hidden axes, in the node `in`, such as a draw. An error if
 * x has evaluations of other sites that `in` lacks: their sum has weights, and is taken when they are folded.
 * The values of a site have those axes if its type has GB_NEEDS_SMOOTH_COST or GB_NEEDS_SLOPES. */
GB_API gb_node gb_gradient_of_sum(gb_node x, gb_node in);

/* Returns the sum of x over its shape and rows: one number for each sample. */
GB_API gb_node gb_per_sample(gb_node x);

GB_END_DECLS
#endif
