/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions: const structs of functions that build graph.
 *
 * A gb_dist is a type and its parameters, a small value to be passed about; making one records next to nothing.
 * Parameters are nodes, so they may be variables, depend on data (rows) or on other draws (samples), and
 * broadcast against each other: gb_normal(f, sigma) is one normal for each element, row and sample of f.
 *
 * What one draw is (a number, a vector, a matrix) is the *event*; its axes come last. The axes before them are
 * the *batch*: independent distributions side by side. gb_log_prob gives one number for each of the batch.
 *
 * distributions/list.h has the ones there are; one of your own is a gb_dist_type and a function around
 * gb_dist_new, in a file of about sixty lines (docs/add-a-distribution.md shows one), and
 * gb_check_distribution (kit/check_distribution.h) tells whether it is right.
 *
 * An invalid parameter is an error when it is given, if its value is known then (a constant): "normal: scale
 * is -1, and must be positive and finite". A computed one is checked in every run, which fails with the same
 * words. Errors go to the tape, and the results are inert. */
#ifndef GREBE_DISTRIBUTIONS_DISTRIBUTION_H
#define GREBE_DISTRIBUTIONS_DISTRIBUTION_H

#include "../core/noise.h"
#include "../core/tape.h"
#include "domain.h"
#include "transform.h"

GB_BEGIN_DECLS

typedef struct gb_dist_type gb_dist_type;

/* By value; it lives as long as its nodes. type NULL: inert, as after an error. */
typedef struct gb_dist {
    const gb_dist_type *type;
    gb_tape *tape;
    gb_node param[GB_MAX_PARAMS]; /* in the order of the type's `param`, or `alternative` */
    bool alternative;             /* the parameters are those of `alternative` */
    int64_t count;                /* a number that some types need (the size of a matrix); else 0 */
    const struct gb_dist
        *base; /* what a wrapper (transformed, independent, mixture) wraps; the tape keeps it */
    const gb_transform *transform; /* of a transformed one; the tape keeps it */
} gb_dist;

/* What a sampler is given: the stream, and the shape and the hidden axes along which draws differ. */
typedef struct gb_source {
    gb_noise noise;
    gb_shape shape; /* of one draw: batch and event */
    gb_axes axes;
} gb_source;

/* Ends of a support that depends on parameters; one that is inert does not. */
typedef struct gb_ends {
    gb_node low, high;
} gb_ends;

/* A derivative as a difference of expectations (Pflug 1989; Heidergott and Vázquez-Abad 2000):
 *     ∂/∂θ E_q[f] = coefficient · (E_plus[f] − E_minus[f]) */
typedef struct gb_measure {
    gb_node coefficient;
    gb_dist plus, minus;
} gb_measure;

/* What some distributions can and others cannot: slot of the type, name of the bit, in words. */
/* clang-format off */
#define GB_ABILITY_LIST(do_)                                                                                 \
    do_(rsample,   GB_CAN_RSAMPLE,   "reparameterised sampler")                                              \
    do_(cdf,       GB_CAN_CDF,       "distribution function in closed form")                                 \
    do_(icdf,      GB_CAN_ICDF,      "quantile function in closed form")                                     \
    do_(mean,      GB_CAN_MEAN,      "mean in closed form")                                                  \
    do_(variance,  GB_CAN_VARIANCE,  "variance in closed form")                                              \
    do_(mode,      GB_CAN_MODE,      "mode in closed form")                                                  \
    do_(entropy,   GB_CAN_ENTROPY,   "entropy in closed form")                                               \
    do_(enumerate, GB_CAN_ENUMERATE, "finite list of values")                                                \
    do_(measure,   GB_CAN_MEASURE,   "measure-valued derivative")                                            \
    do_(couple,    GB_CAN_COUPLE,    "coupling of its measure-valued derivative")                            \
    do_(relaxed,   GB_CAN_RELAX,     "relaxation")
/* clang-format on */
typedef enum gb_ability {
#define GB_ABILITY_BIT(slot, name, words) name,
    GB_ABILITY_LIST(GB_ABILITY_BIT)
#undef GB_ABILITY_BIT
} gb_ability;

struct gb_dist_type {
    size_t size;         /* REQUIRED: sizeof(gb_dist_type) */
    const char *name;    /* REQUIRED: "normal" */
    const char *formula; /* REQUIRED: the log density (or log probability) in one line, for a reader */
    gb_param param[GB_MAX_PARAMS]; /* REQUIRED: one at least */
    gb_param
        alternative[GB_MAX_PARAMS]; /* OPTIONAL: another way to say the same (logits for probabilities) */
    gb_relation relation;           /* OPTIONAL: between the parameters of `param` */
    const gb_domain
        *support;  /* REQUIRED, but for a wrapper: where draws lie; its event rank is that of the draws */
    bool wraps;    /* it is made of another distribution, and sees itself to what is outside */
    bool discrete; /* it has probabilities, not densities (of a wrapper: see gb_dist_discrete) */
    bool moving_support; /* where draws lie depends on the parameters, so that no score is right */

    /* REQUIRED: the log density of x, for each of the batch. Only asked inside the support: outside, gb_log_prob
     * says −inf, whatever this does. NaN where x is. */
    gb_node (*log_prob)(const gb_dist *d, gb_node x);
    /* OPTIONAL: a draw that is a differentiable function of the parameters. NULL: there is none known. */
    gb_node (*rsample)(const gb_dist *d, const gb_source *from);
    /* OPTIONAL: a draw. NULL: rsample's. REQUIRED where rsample is NULL. */
    gb_node (*sample)(const gb_dist *d, const gb_source *from);

    /* OPTIONAL: batch and event shapes. NULL: the batch is what the parameters have besides their own axes,
     * broadcast; the event has the last axes of the first parameter that has enough of its own. */
    void (*shape)(const gb_dist *d, gb_shape *batch, gb_shape *event);
    /* OPTIONAL: where the support ends. NULL: where that of `support` does. */
    gb_ends (*ends)(const gb_dist *d);
    /* OPTIONAL: from the real line (or vectors) onto the support. NULL: as `support` does. */
    gb_transform (*reach)(const gb_dist *d);
    /* OPTIONAL: whether one distribution has what its type has a slot for, when that depends on what it wraps.
     * NULL: it has. */
    bool (*has)(const gb_dist *d, gb_ability ability);

    /* OPTIONAL; NULL: not known in closed form, or there is none. Distributions of numbers only: P(X ≤ x) for x in the
     * support (discrete: rounded down), and its inverse, the smallest x with P(X ≤ x) ≥ u, for u in [0, 1]. */
    gb_node (*cdf)(const gb_dist *d, gb_node x);
    gb_node (*icdf)(const gb_dist *d, gb_node u);
    /* OPTIONAL, in a shape that broadcasts to that of a draw. Infinite or NaN where they are or are not. */
    gb_node (*mean)(const gb_dist *d);
    gb_node (*variance)(const gb_dist *d); /* of each element */
    gb_node (*mode)(const gb_dist *d);     /* where log_prob is greatest; of several, one */
    /* OPTIONAL, in a shape that broadcasts to the batch: −E[log q], in nats. */
    gb_node (*entropy)(const gb_dist *d);
    /* OPTIONAL: all values that a draw can take, along a new first axis, without the batch: shape (K) + event.
     * May fail for a distribution whose number of values is not known at recording: inert, with an error. */
    gb_node (*enumerate)(const gb_dist *d);
    /* OPTIONAL: the values of positive probability, along a new first axis before the batch, where they are not whole
     * numbers of the support: of a mixed distribution (a spike beside a slab) besides its density, of a discrete one all.
     * log_prob is the logarithm of a probability there. NULL: a discrete distribution has those of its support, another
     * none. */
    gb_node (*atoms)(const gb_dist *d);
    /* OPTIONAL: the derivative in parameter `which`, and there in the element number `element` of its own axes (0
     * for numbers). False: not in that one (no error). */
    bool (*measure)(const gb_dist *d, size_t which, int64_t element, gb_measure *measure);
    /* OPTIONAL: draws from the two measures of one and the same noise, so that their difference has a small
     * variance. NULL: independent draws have to do. */
    bool (*couple)(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus);
    /* OPTIONAL: a continuous distribution that tends to this one as the temperature tends to 0. */
    gb_dist (*relaxed)(const gb_dist *d, gb_node temperature);
    /* OPTIONAL: exact divergences to and from other types (distributions/kl.h), ended by {0}. NULL: none. */
    const struct gb_kl_pair *kl;
};

/* ---- for authors of distributions ---- */

/* What a type lacks, in words; NULL: it is complete. */
GB_API const char *gb_dist_type_fault(const gb_dist_type *type);

/* Checks the type, and the parameters, as many as it has in that form. What is not as it must be (a REQUIRED slot that is
 * empty, too) is an error on the tape of the parameters; where no parameter has one (NULL), the result is only inert. */
GB_API gb_dist gb_dist_new(const gb_dist_type *type, const gb_node *param);
GB_API gb_dist gb_dist_alternative(const gb_dist_type *type, const gb_node *param);
/* The same for a gb_dist that was filled by hand, with `count`, `base` or `transform`: the last two are copied. */
GB_API gb_dist gb_dist_checked(gb_dist filled);

/* The same distribution for each of a larger batch, to which its own broadcasts; else an error. */
GB_API gb_dist gb_dist_expand(gb_dist d, gb_shape batch);

/* The parameters in use: of the type's `param`, or its `alternative`; and how many. */
GB_API const gb_param *gb_dist_params(const gb_dist *d, size_t *count);

/* ---- what a distribution can be asked ---- */

GB_API bool gb_dist_ok(gb_dist d);              /* usable: not inert */
GB_API gb_shape gb_dist_shape(gb_dist d);       /* of a draw: batch and event */
GB_API gb_shape gb_dist_batch_shape(gb_dist d); /* of a log density */
GB_API gb_shape gb_dist_event_shape(gb_dist d);
GB_API gb_axes gb_dist_axes(gb_dist d); /* the hidden axes that its parameters carry */
GB_API bool gb_dist_discrete(
    gb_dist d); /* it has probabilities, not densities; a wrapper: if what it wraps has */
GB_API bool gb_dist_moving_support(gb_dist d); /* where draws lie depends on the parameters; likewise */

/* Whether it can do something of the list above. */
GB_API bool gb_dist_can(gb_dist d, gb_ability ability);

/* log d(x), for each of the batch; x and the parameters broadcast. −inf outside the support. Integers are taken as
 * reals. */
GB_API gb_node gb_log_prob(gb_dist d, gb_node x);

/* A draw for each place along `axes` and the hidden axes of the parameters. gb_sample's has no gradient;
 * gb_rsample's is reparameterised, and an error where the type cannot do that. */
GB_API gb_node gb_sample(gb_dist d, gb_noise noise, gb_axes axes);
GB_API gb_node gb_rsample(gb_dist d, gb_noise noise, gb_axes axes);

/* An error where there is no closed form (see the slots of gb_dist_type for what each is). gb_cdf and gb_icdf take
 * integers as reals; gb_icdf is NaN outside [0, 1]. */
GB_API gb_node gb_cdf(gb_dist d, gb_node x);
GB_API gb_node gb_icdf(gb_dist d, gb_node u);
GB_API gb_node gb_dist_mean(gb_dist d);
GB_API gb_node gb_dist_variance(gb_dist d);
GB_API gb_node gb_dist_mode(gb_dist d);
GB_API gb_node gb_entropy(gb_dist d);
/* Also an error where the number of values is not known at recording. */
GB_API gb_node gb_dist_enumerate(gb_dist d);
/* In parameter `which` of gb_dist_params, and there in element number `element` of its own axes (0 for numbers). False
 * where there is none such, or no derivative in it; `measure` is then {0}. */
GB_API bool gb_dist_measure(gb_dist d, size_t which, int64_t element, gb_measure *measure);
GB_API gb_dist gb_dist_relaxed(gb_dist d, gb_node temperature);

/* The transform that reaches the support from real numbers or vectors; inert, without error, where there is
 * none. */
GB_API gb_transform gb_dist_reach(gb_dist d);

/* Where x is outside the support: a boolean for each of the batch. Inert, without error, where nothing is, or where
 * the type has no support of its own (a wrapper). */
GB_API gb_node gb_dist_outside(gb_dist d, gb_node x);

GB_END_DECLS
#endif
