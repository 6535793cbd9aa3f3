/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators of gradients of expectations: const structs of two functions, `draw` and `combine`.
 *
 * A site is one stochastic choice, where a distribution meets an estimator. `draw` says how its draw enters
 * the graph; `combine` takes the cost of the draws and returns one whose value estimates E[f], and whose
 * gradient estimates the gradient. Some estimators look at the cost of several values at once, its
 * *evaluations*: `draw` then gives all of them, and `combine` is given the cost of each.
 *
 * estimators/list.h has the ones there are; one of your own is a gb_estimator_type and a function that fills a
 * gb_estimator, in one file (docs/add-an-estimator.md): those here have 30 to 110 lines, half of them under 65, and
 * measure-valued has 159. */
#ifndef GREBE_ESTIMATORS_ESTIMATOR_H
#define GREBE_ESTIMATORS_ESTIMATOR_H

#include "../distributions/distribution.h"
#include "baseline.h"

GB_BEGIN_DECLS

typedef struct gb_estimator_type gb_estimator_type;
typedef struct gb_site gb_site;
typedef struct gb_expect gb_expect;

/* An estimator with its options, by value. type NULL: none was given, and the call that takes it says so. */
typedef struct gb_estimator {
    const gb_estimator_type *type;
    gb_packed options;
} gb_estimator;

/* What an estimator may need: of a distribution an ability, GB_NEEDS(GB_CAN_RSAMPLE); and, of distribution or cost: */
#define GB_NEEDS(ability) (1u << (ability))
enum {
    GB_NEEDS_FIXED_SUPPORT = 1 << 24,    /* a support that does not move with the parameters */
    GB_NEEDS_SEPARATE_SAMPLES = 1 << 25, /* a cost whose samples do not depend on each other's draws */
    GB_NEEDS_SEPARATE_ROWS = 1 << 26,    /* where draws vary over rows, a cost that is a sum over rows */
    GB_NEEDS_SMOOTH_COST = 1 << 27,      /* a cost without jumps in the draw */
    GB_NEEDS_OWN_LOG_PROB = 1 << 28,     /* a cost that holds gb_draw_log_prob of the draw */
    GB_JOINS_SAMPLES = 1 << 29           /* no need: the draws of one run depend on each other */
};

/* How the evaluations of different sites go together. */
typedef enum gb_expansion {
    GB_ONE_EVALUATION,
    GB_PROBES, /* evaluation 0 is the draw; while a site looks at others, all sites that do not depend on it stay at their
                  evaluation 0. So evaluations of different sites add up */
    GB_WEIGHTS /* a sum over weighted values: evaluations of different sites multiply */
} gb_expansion;

struct gb_estimator_type {
    GB_PLUGIN_HEAD;   /* `formula` is the gradient of one sample */
    const char *bias; /* OPTIONAL: why its mean is not the gradient. NULL: it is */
    unsigned needs;   /* GB_NEEDS…, joined by |; 0: draws and a log density, which all have */
    /* OPTIONAL: what else it needs of a distribution and `q` has not ("list of logits"); NULL: nothing. `options` is NULL
     * where any will do. */
    const char *(*lacks)(const gb_dist *q, const void *options);
    /* REQUIRED, but for GB_ONE_EVALUATION: how many evaluations there are for each sample. 0: impossible, and
     * `site->q.tape` has the error. */
    gb_expansion expansion;
    int64_t (*evaluations)(const gb_site *site);
    /* True: a gradient of its gradient, in the parameters of the site, would be wrong, and is refused by name. */
    bool first_order;
    /* True: the parameters have no gradient through the site's own log q in the cost, at a fixed draw: that gradient
     * has mean zero. */
    bool drops_own_path;
    /* True: draws of a discrete distribution may lie between its values, where its log_prob is the formula's. */
    bool relaxes;
    /* REQUIRED: the draw, one for each place along site->axes; with several evaluations an array of them, along a
     * new first axis. It is opened by who calls. It may leave nodes for `combine` in site->kept. */
    gb_node (*draw)(gb_site *site);
    /* OPTIONAL, with one evaluation; NULL: the cost as it is. `cost` is real, for each sample (and row, if site->per says
     * so) a number; with several evaluations a vector of them. The result is a number, has the cost's value, sample by
     * sample, or one of the same mean, and a gradient whose mean is that of E[cost], with respect to all that cost and
     * the parameters of the site are made of. */
    gb_node (*combine)(const gb_site *site, gb_node cost);
    /* OPTIONAL: what it needs besides `needs`, with these options. */
    unsigned (*needs_with)(const void *options);
    /* OPTIONAL, of GB_WEIGHTS: the weights of its values, a vector that adds up to 1, for each sample (and row, if site->per
     * says so). NULL: gb_mean_of_draws cannot be asked. */
    gb_node (*weights)(const gb_site *site);
    GB_RESERVE(8);
};

/* What an estimator needs and the distribution lacks, in words ("reparameterised sampler"); NULL: it fits. The
 * second asks of a type whether any of its options would fit. */
GB_API const char *gb_estimator_lacks(gb_estimator estimator, gb_dist distribution);
GB_API const char *gb_estimator_type_lacks(const gb_estimator_type *type, gb_dist distribution);

enum { GB_SITE_KEEPS = 6 };

/* One stochastic choice: for estimators and baselines to read. The expectation owns it. */
struct gb_site {
    size_t size; /* sizeof(gb_site) */
    const char *name;
    gb_dist q;
    gb_estimator estimator;
    const void *options; /* the options struct of the estimator's type, with defaults filled in */
    gb_noise noise; /* the stream of its draws, named as the site is */
    gb_axes axes;   /* what draws vary along: the samples, and what the parameters of q carry */
    gb_node kept[GB_SITE_KEEPS];

    int64_t evaluations;
    gb_axes axis;   /* the hidden axis of evaluations; 0: there is one only */
    int64_t place;  /* of evaluation 1, along it */
    gb_node values; /* what `draw` gave */
    gb_node draw;   /* as the user got it, open, with `axis` */

    /* In `combine`: */
    gb_axes per;        /* what the cost at hand varies along: GB_SAMPLES, and GB_ROWS where rows are apart */
    gb_node own;        /* see gb_draw_log_prob; inert where the cost holds none */
    gb_node own_weight; /* of it */
    gb_expect *expectation; /* for gb_learn_… */
    const gb_site *before;  /* the one drawn before, NULL for the first */
};

/* ---- for authors of estimators ---- */

/* The estimator of a type with these options, an options struct; NULL: all defaults. For constructors. */
GB_API gb_estimator gb_estimator_of(const gb_estimator_type *type, const void *options);

/* The value of one evaluation, as `draw` gave it. */
GB_API gb_node gb_site_value(const gb_site *site, int64_t evaluation);

/* The cost of one evaluation. */
GB_API gb_node gb_evaluation(gb_node costs, int64_t evaluation);

/* log q(z) with z held fixed, of the draw (evaluation 0): its gradient is the score of the parameters. One number
 * for each sample, and row if costs have rows. */
GB_API gb_node gb_site_log_prob(const gb_site *site);

/* The same of every evaluation: a vector of them, if there are several. Between the values of a discrete distribution it
 * is what the formula says. */
GB_API gb_node gb_site_log_probs(const gb_site *site);

/* Sums over the shape, and over rows where costs have none. */
GB_API gb_node gb_site_sum(const gb_site *site, gb_node x);

/* The cost without the gradient that the site's parameters have through the site's own log q in it, z held
 * fixed. That gradient has mean zero and is mostly noise: estimators whose draws carry no gradient leave it
 * out. For types that do so by hand, because they need the cost with that path too. */
GB_API gb_node gb_site_drop_own_path(const gb_site *site, gb_node cost);

/* The gradient of Σ x, over its shape and hidden axes, in something that it is made of: in a draw, say. */
GB_API gb_node gb_gradient_of_sum(gb_node x, gb_node in);

/* Sums over the shape and rows: one number for each sample. */
GB_API gb_node gb_per_sample(gb_node x);

GB_END_DECLS
#endif
