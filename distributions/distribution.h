/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions: const structs of functions that build graph.
 *
 * A gb_dist is a type and its parameters, a small value to be passed about; making one records nothing.
 * Parameters are nodes, so they may be variables, depend on data (rows) or on other draws (samples), and
 * broadcast against each other: gb_normal(f, sigma) is one normal for each element, row and sample of f.
 * distributions/list.h has the ones there are; one of your own is a gb_dist_type and a function around
 * gb_dist_new, in a file of about sixty lines.
 *
 * An invalid parameter is an error when it is given, if its value is known then (a constant): "normal: scale
 * is -1, and must be positive and finite". What a run computes is not checked; a scale that becomes negative
 * shows up as a NaN, which the run refuses. Errors go to the tape, and the results are inert. */
#ifndef GREBE_DISTRIBUTIONS_DISTRIBUTION_H
#define GREBE_DISTRIBUTIONS_DISTRIBUTION_H

#include "../core/noise.h"
#include "../core/tape.h"
#include "domain.h"

GB_BEGIN_DECLS

enum { GB_MAX_PARAMS = 4 };

typedef struct gb_dist_type gb_dist_type;

/* By value; it lives as long as its nodes. type NULL: inert, as after an error. */
typedef struct gb_dist {
    const gb_dist_type *type;
    gb_tape *tape;
    gb_node param[GB_MAX_PARAMS]; /* in the order of the type's */
} gb_dist;

/* What a sampler is given: the stream, and the shape and the hidden axes along which draws differ. */
typedef struct gb_source {
    gb_noise noise;
    gb_shape shape;
    gb_axes axes;
} gb_source;

typedef struct gb_param {
    const char *name; /* NULL: the list ends here */
    const gb_domain *domain;
} gb_param;

struct gb_dist_type {
    size_t size;         /* REQUIRED: sizeof(gb_dist_type) */
    const char *name;    /* REQUIRED: "normal" */
    const char *formula; /* REQUIRED: the log density (or log probability) in one line, for a reader */
    gb_param param[GB_MAX_PARAMS]; /* REQUIRED: one at least */
    const gb_domain *support;      /* REQUIRED: where draws lie */
    bool moving_support;           /* where draws lie depends on the parameters, so that no score is right */

    /* REQUIRED: the log density of x, elementwise. −inf outside the support; NaN where x is. */
    gb_node (*log_prob)(const gb_dist *d, gb_node x);
    /* OPTIONAL: a draw that is a differentiable function of the parameters. NULL: there is none known. */
    gb_node (*rsample)(const gb_dist *d, const gb_source *from);
    /* OPTIONAL: a draw. NULL: rsample's. REQUIRED where rsample is NULL. */
    gb_node (*sample)(const gb_dist *d, const gb_source *from);
    /* OPTIONAL, elementwise. NULL: not known in closed form, or there is none. */
    gb_node (*mean)(const gb_dist *d);
    gb_node (*variance)(const gb_dist *d);
    gb_node (*entropy)(const gb_dist *d);
    /* OPTIONAL: exact divergences to and from other types (distributions/kl.h), ended by {0}. NULL: none. */
    const struct gb_kl_pair *kl;
};

/* True where a struct of functions is new enough to have a slot, and has it filled. */
#define GB_HAS(type, slot)                                                                                   \
    ((type)->size >= (size_t)((const char *)(&(type)->slot + 1) - (const char *)(type)) &&                   \
     (type)->slot != NULL)

/* For authors of distributions: checks the parameters, as many as the type has. */
GB_API gb_dist gb_dist_new(const gb_dist_type *type, const gb_node *param);

/* ---- what a distribution can be asked ---- */

GB_API bool gb_dist_ok(gb_dist d);        /* usable: not inert */
GB_API gb_shape gb_dist_shape(gb_dist d); /* of a draw: the parameters' shapes, broadcast */
GB_API gb_axes gb_dist_axes(gb_dist d);   /* the hidden axes that its parameters carry */

/* log d(x), for each element; x and the parameters broadcast. */
GB_API gb_node gb_log_prob(gb_dist d, gb_node x);

/* A draw for each place along `axes` and the hidden axes of the parameters. gb_sample's has no gradient;
 * gb_rsample's is reparameterised, and an error where the type cannot do that. */
GB_API gb_node gb_sample(gb_dist d, gb_noise noise, gb_axes axes);
GB_API gb_node gb_rsample(gb_dist d, gb_noise noise, gb_axes axes);

/* For each element; an error where there is no closed form. The entropy is −E[log d], in nats. */
GB_API gb_node gb_dist_mean(gb_dist d);
GB_API gb_node gb_dist_variance(gb_dist d);
GB_API gb_node gb_entropy(gb_dist d);

GB_END_DECLS
#endif
