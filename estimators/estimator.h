/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators of gradients of expectations: const structs of two functions, `draw` and `combine`.
 *
 * A site is one stochastic choice, where a distribution meets an estimator. `draw` says how its draw enters
 * the graph; `combine` takes the cost of the draws and returns one whose value estimates E[f], and whose
 * gradient estimates the gradient. estimators/list.h has the ones there are; one of your own is a
 * gb_estimator_type and a function that fills a gb_estimator, in a file of about forty lines. */
#ifndef GREBE_ESTIMATORS_ESTIMATOR_H
#define GREBE_ESTIMATORS_ESTIMATOR_H

#include "../distributions/distribution.h"
#include "baseline.h"

GB_BEGIN_DECLS

typedef struct gb_estimator_type gb_estimator_type;
typedef struct gb_site gb_site;

enum { GB_ESTIMATOR_OPTIONS = 96 };

/* An estimator with its options, by value. type NULL: none was given, and the call that takes it says so. */
typedef struct gb_estimator {
    const gb_estimator_type *type;
    union {
        unsigned char bytes[GB_ESTIMATOR_OPTIONS]; /* the options struct of its type */
        double aligned;
        void *aligned_too;
    } options;
} gb_estimator;

/* What an estimator may need, of a distribution and of a cost. */
enum {
    GB_NEEDS_RSAMPLE = 1,         /* draws that are differentiable functions of the parameters */
    GB_NEEDS_FIXED_SUPPORT = 2,   /* a support that does not move with the parameters */
    GB_NEEDS_SEPARATE_SAMPLES = 4 /* a cost whose samples do not depend on each other's draws */
};

struct gb_estimator_type {
    size_t size;         /* REQUIRED: sizeof(gb_estimator_type) */
    const char *name;    /* REQUIRED */
    const char *cite;    /* OPTIONAL: where it comes from. NULL: folklore */
    const char *formula; /* REQUIRED: the gradient of one sample, in one line */
    unsigned needs;      /* GB_NEEDS_…, joined by |; 0: draws and a log density, which all have */
    /* REQUIRED: the draw, one for each place along site->axes. It is opened by who calls. */
    gb_node (*draw)(const gb_site *site);
    /* REQUIRED: `cost` is a real scalar for each sample. The result has its value, sample by sample, and a
     * gradient whose mean is that of E[cost], with respect to all that cost and the parameters of the site
     * are made of. */
    gb_node (*combine)(const gb_site *site, gb_node cost);
};

/* One stochastic choice: for estimators and baselines to read. The expectation owns it. */
struct gb_site {
    size_t size; /* sizeof(gb_site) */
    const char *name;
    gb_dist q;
    gb_estimator estimator;
    gb_noise noise;        /* the stream of its draws, named as the site is */
    gb_axes axes;          /* what draws vary along: the samples, and what the parameters of q carry */
    gb_node draw;          /* as the user got it, open */
    gb_node own;           /* see gb_draw_log_prob; inert where the cost holds none */
    gb_node own_weight;    /* of it */
    const gb_site *before; /* the one drawn before, NULL for the first */
};

/* ---- for authors of estimators ---- */

/* The options of the site's estimator: what its constructor stored. */
#define gb_site_options(site) ((const void *)(site)->estimator.options.bytes)

/* For the constructor of an estimator: the type with a copy of its options. Inert where these are too many
 * (GB_ESTIMATOR_OPTIONS bytes). */
GB_API gb_estimator gb_estimator_of(const gb_estimator_type *type, const void *options, size_t bytes);

/* log q(z) with z held fixed: its gradient is the score of the parameters. One number for each sample. */
GB_API gb_node gb_site_log_prob(const gb_site *site);

/* The cost without the gradient that the site's parameters have through the site's own log q in it, z held
 * fixed. That gradient has mean zero and is mostly noise: estimators whose draws carry no gradient leave it
 * out. */
GB_API gb_node gb_site_drop_own_path(const gb_site *site, gb_node cost);

/* Sums over the shape and over all hidden axes but the samples. */
GB_API gb_node gb_per_sample(gb_node x);

GB_END_DECLS
#endif
