/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions: const structs of functions that record graph.
 *
 * A gb_dist is a type and its parameters: a small value, passed by copy. Making one records next to nothing.
 * Parameters are nodes, so they may be variables, or depend on data (rows) or on other draws (samples). They
 * broadcast against each other: gb_normal(f, sigma) is one normal for each element, row and sample of f.
 *
 * One draw is an *event*: a number, a vector or a matrix. The axes of the event come last. The axes before
 * them are the *batch*: independent distributions side by side. gb_log_prob returns one number for each
 * element of the batch.
 *
 * distributions/list.h lists the distributions of grebe. One of your own is a gb_dist_type and functions for
 * its slots, made by gb_dist_of (docs/add-a-distribution.md shows one in 22 lines). gb_check_dist
 * (kit/check_distribution.h) checks it. In grebe a file with a density, a sampler, quantiles and moments has
 * about 55 lines. The median is about 100, since most files also have divergences and some have
 * measure-valued derivatives.
 *
 * Parameters are checked. A constant that is invalid is an error when the distribution is made: "normal:
 * scale is -1, and must be positive and finite". A parameter that is computed is checked in every run, which
 * fails with the same message. Errors go to the tape, and functions then return inert results. */
#ifndef GREBE_DISTRIBUTIONS_DISTRIBUTION_H
#define GREBE_DISTRIBUTIONS_DISTRIBUTION_H

#include "../core/noise.h"
#include "../core/tape.h"
#include "domain.h"
#include "transform.h"

GB_BEGIN_DECLS

typedef struct gb_dist_type gb_dist_type;

/* Passed by value. It lives as long as its nodes. If `type` is NULL, it is inert, as after an error. */
typedef struct gb_dist {
    const gb_dist_type *type;
    gb_tape *tape;
    gb_node param[GB_MAX_PARAMS]; /* in the order of the type's `param` or `alternative` */
    bool alternative;             /* the parameters are those of `alternative` */
    int64_t count;                /* a number that some types need (the size of a matrix); else 0 */
    /* What a wrapper (transformed, independent, mixture) wraps; else NULL. The tape keeps the copy. */
    const struct gb_dist *base;
    const gb_transform *transform; /* of a transformed one; else NULL. The tape keeps the copy */
} gb_dist;

/* The arguments of a sampler: the stream of noise, and the shape and the hidden axes of the draws. */
typedef struct gb_source {
    gb_noise noise;
    gb_shape shape; /* of one draw: batch and event */
    gb_axes axes;   /* along which draws are independent */
} gb_source;

/* Ends of a support that depend on parameters. An inert end does not. */
typedef struct gb_ends {
    gb_node low, high;
} gb_ends;

/* A derivative as a difference of expectations (Pflug 1989; Heidergott and Vázquez-Abad 2000):
 *     ∂/∂θ E_q[f] = coefficient · (E_plus[f] − E_minus[f]) */
typedef struct gb_measure {
    gb_node coefficient;
    gb_dist plus, minus;
} gb_measure;

/* Abilities that only some distributions have: slot of the type, enumerator, words for messages. */
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
    do_(relaxed,   GB_CAN_RELAX,     "relaxation")                                                           \
    do_(survival,  GB_CAN_SURVIVAL,  "survival function in closed form")                                     \
    do_(inverse_survival, GB_CAN_INVERSE_SURVIVAL, "inverse survival function in closed form")
/* clang-format on */
/* What a distribution can do, a bit for each function. */
typedef enum gb_ability {
#define GB_ABILITY_BIT(slot, name, words) name,
    GB_ABILITY_LIST(GB_ABILITY_BIT)
#undef GB_ABILITY_BIT
} gb_ability;

/* The type of a distribution. */
struct gb_dist_type {
    GB_PLUGIN_HEAD; /* `formula` is the log density (or log probability); no `options`: it has parameters */
    gb_option param[GB_MAX_PARAMS]; /* REQUIRED: at least one, except for a wrapper */
    /* OPTIONAL: other parameters for the same distributions (logits for probabilities). */
    gb_option alternative[GB_MAX_PARAMS];
    gb_relation relation; /* OPTIONAL: between the parameters of `param` */
    /* REQUIRED, except for a wrapper: the set that draws lie in. Its event rank is that of the draws. */
    const gb_domain *support;
    bool wraps; /* a wrapper: made of another distribution; its functions find what is outside the support */
    bool discrete;       /* has probabilities, not densities (for a wrapper see gb_dist_discrete) */
    bool moving_support; /* the support depends on the parameters: estimators by the score reject it */

    /* REQUIRED: the log density of x, one number for each element of the batch. NaN where x is NaN. It is
     * called for every x, but its result counts only in the support: elsewhere gb_log_prob returns −inf. */
    gb_node (*log_prob)(const gb_dist *d, gb_node x);
    /* OPTIONAL: a draw that is a differentiable function of the parameters. NULL: none is known. */
    gb_node (*rsample)(const gb_dist *d, const gb_source *from);
    /* A draw. REQUIRED where rsample is NULL; else OPTIONAL, and NULL means that rsample draws. */
    gb_node (*sample)(const gb_dist *d, const gb_source *from);

    /* OPTIONAL: the shapes of batch and event. NULL: the batch is the broadcast of all parameters without
     * their own axes. The event has the last axes of the first parameter with enough axes of its own. */
    void (*shape)(const gb_dist *d, gb_shape *batch, gb_shape *event);
    /* OPTIONAL: the ends of the support. NULL: those of `support`. */
    gb_ends (*ends)(const gb_dist *d);
    /* OPTIONAL: a transform from real numbers (or vectors) onto the support. NULL: that of `support`. */
    gb_transform (*reach)(const gb_dist *d);
    /* OPTIONAL: whether this distribution has an ability whose slot the type fills. For types where that
     * depends on the wrapped distribution or on the parameters. NULL: it has. */
    bool (*has)(const gb_dist *d, gb_ability ability);

    /* OPTIONAL, for distributions of numbers. NULL: there is no closed form. cdf: P(X ≤ x) for x in the
     * support (discrete: x is rounded down). icdf: its inverse, the smallest x with P(X ≤ x) ≥ u, for u in
     * [0, 1]. */
    gb_node (*cdf)(const gb_dist *d, gb_node x);
    gb_node (*icdf)(const gb_dist *d, gb_node u);
    /* OPTIONAL: moments, in a shape that broadcasts to that of a draw; infinite where they are infinite, NaN
     * where they do not exist. NULL: there is no closed form. variance: of each element. mode: an x where
     * log_prob is greatest. */
    gb_node (*mean)(const gb_dist *d);
    gb_node (*variance)(const gb_dist *d);
    gb_node (*mode)(const gb_dist *d);
    /* OPTIONAL: −E[log q] in nats, in a shape that broadcasts to the batch. NULL: there is no closed form. */
    gb_node (*entropy)(const gb_dist *d);
    /* OPTIONAL: all values that a draw can take, along a new first axis and without the batch: shape (K) +
     * event. If the number of values is not known at recording, it may fail: it records an error and returns
     * an inert node. */
    gb_node (*enumerate)(const gb_dist *d);
    /* OPTIONAL: the values of positive probability, along a new first axis before the batch; log_prob is the
     * log of that probability there. For a mixed distribution (a spike beside a slab) these are the values
     * besides its density, for a discrete one all. NULL: a discrete distribution has the whole numbers of its
     * support, another one none. */
    gb_node (*atoms)(const gb_dist *d);
    /* OPTIONAL: the derivative in element number `element` of parameter `which`. Elements are counted in the
     * own axes of the parameter; a number has element 0. Returns false, without an error, if that derivative
     * has no such form. */
    bool (*measure)(const gb_dist *d, size_t which, int64_t element, gb_measure *measure);
    /* OPTIONAL: draws from both measures made of the same noise, so that their difference has a small
     * variance. NULL: the draws are independent. */
    bool (*couple)(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus);
    /* OPTIONAL: a continuous distribution that tends to this one as the temperature tends to 0. */
    gb_dist (*relaxed)(const gb_dist *d, gb_node temperature);
    /* OPTIONAL: exact divergences to and from other types (distributions/kl.h), ended by {0}. NULL: none. */
    const struct gb_kl_pair *kl;
    /* OPTIONAL, for distributions of numbers that are not discrete. NULL: there is no closed form that keeps
     * its digits. survival: P(X > x) for x in the support. inverse_survival: the x with P(X > x) = q, for q
     * in [0, 1]. A map that decreases needs them for its own cdf and icdf. */
    gb_node (*survival)(const gb_dist *d, gb_node x);
    gb_node (*inverse_survival)(const gb_dist *d, gb_node q);
    GB_RESERVE(6);
};

/* ---- for authors of distributions ---- */

/* What is missing in a type, in words; NULL if it is complete. */
GB_API const char *gb_dist_type_fault(const gb_dist_type *type);

/* A distribution with the parameters `param`, as many as the type has in that form. Checks the type (every
 * REQUIRED slot) and the parameters. If a check fails, the error goes to the tape of the parameters, and the
 * result is inert. If no parameter has a tape (or `param` is NULL), the result is inert without an error. */
GB_API gb_dist gb_dist_of(const gb_dist_type *type, const gb_node *param);
GB_API gb_dist gb_dist_alternative(const gb_dist_type *type, const gb_node *param);
/* The same for a gb_dist that was filled by hand, with `count`, `base` or `transform`. Copies the
 * last two of these. */
GB_API gb_dist gb_dist_checked(gb_dist filled);

/* The same distribution for each element of a larger batch. Fails if its batch does not broadcast to that. */
GB_API gb_dist gb_dist_expand(gb_dist d, gb_shape batch);

/* The parameters in use, of the type's `param` or `alternative`. `count` receives how many. */
GB_API const gb_option *gb_dist_params(const gb_dist *d, size_t *count);

/* ---- properties ---- */

GB_API bool gb_dist_ok(gb_dist d);              /* usable: not inert, and its tape has no error */
GB_API gb_shape gb_dist_shape(gb_dist d);       /* of a draw: batch and event */
GB_API gb_shape gb_dist_batch_shape(gb_dist d); /* of a log density */
GB_API gb_shape gb_dist_event_shape(gb_dist d); /* of one event */
GB_API gb_axes gb_dist_axes(gb_dist d);         /* the hidden axes of its parameters */

/* Whether it has probabilities, not densities; and whether its support depends on the parameters. A wrapper
 * answers for the distribution that it wraps. */
GB_API bool gb_dist_discrete(gb_dist d);
GB_API bool gb_dist_moving_support(gb_dist d);

/* Returns whether it has all of these abilities. */
GB_API bool gb_dist_can(gb_dist d, gb_ability ability);

/* ---- densities and draws ---- */

/* log d(x), one number for each element of the batch. x and the parameters broadcast. −inf outside the
 * support. Integers are converted to reals. */
GB_API gb_node gb_log_prob(gb_dist d, gb_node x);

/* A draw for each place along `axes` and the hidden axes of the parameters. gb_sample's draw has no gradient.
 * gb_rsample's is reparameterised; gb_rsample fails if the type cannot do that.
 *
 * Draws of gamma, inverse_gamma, chi_squared, beta, student_t and von_mises come from samplers that reject.
 * Their gradients are implicit: those of a draw at a fixed rank (Figurnov, Mohamed and Mnih 2018). beta and
 * student_t could also have the gradients of the gamma and normal draws that they are made of. The implicit
 * ones have a smaller standard deviation: by a factor of 1 to 1.5 for beta, and for student_t of 1.5 to 5 at
 * df 30 and 6 to 26 at df 700. They take 0.2 to 0.5 µs for each draw and parameter, instead of 0.1; 3 µs for
 * beta with parameters of 1e5. */
GB_API gb_node gb_sample(gb_dist d, gb_noise noise, gb_axes axes);
GB_API gb_node gb_rsample(gb_dist d, gb_noise noise, gb_axes axes);

/* Returns the draw, marked: gb_log_prob of its distribution then uses what the draw was made from. Without
 * the mark, log d(x) of a draw x is computed from the rounded x. It cancels where d is narrow: a draw of a
 * gamma of concentration 1e12 on a float tape has nothing left of its noise, and the gradient of
 * gb_log_prob(d, gb_rsample(d, …)) is wrong. So it is where draws underflow, overflow or round to 1. Costs
 * that contain log q mark draws themselves (gb_draw_log_prob of estimators/expect.h, and ELBOs). Elsewhere
 * write gb_log_prob(d, gb_own_draw(draw)), with the same d and the draw itself.
 *
 * The value is log d of the draw, and the gradient is that in all parameters together, through the draw too.
 * If the draw was not stopped (gb_stop), the gradient in the draw alone is not that of log d. A draw whose
 * noise is not known, as that of a geometric or a sum of draws, is as without the mark. On a float tape the
 * slope of student_t in its scale, at a draw that is held, has a relative error of 6e-4 at df 1e-4. */
GB_API gb_node gb_own_draw(gb_node draw);

/* The slots of gb_dist_type say what each returns. They fail if there is no closed form. gb_cdf and gb_icdf
 * convert integers to reals; gb_icdf is NaN for u outside [0, 1]. */
GB_API gb_node gb_cdf(gb_dist d, gb_node x);
GB_API gb_node gb_icdf(gb_dist d, gb_node u);
/* 1 − cdf, and its inverse, with all digits where they are small. */
GB_API gb_node gb_survival(gb_dist d, gb_node x);
GB_API gb_node gb_inverse_survival(gb_dist d, gb_node q);
GB_API gb_node gb_dist_mean(gb_dist d);
GB_API gb_node gb_dist_variance(gb_dist d);
GB_API gb_node gb_dist_mode(gb_dist d);
GB_API gb_node gb_dist_entropy(gb_dist d);
/* Fails also if the number of values is not known at recording. */
GB_API gb_node gb_dist_enumerate(gb_dist d);
/* The derivative in element number `element` of parameter `which` of gb_dist_params, as for the slot
 * `measure`. Returns
 * false, and sets `measure` to {0}, if there is no such element or no such derivative. */
GB_API bool gb_dist_measure(gb_dist d, size_t which, int64_t element, gb_measure *measure);
GB_API gb_dist gb_dist_relaxed(gb_dist d, gb_node temperature);

/* A transform from real numbers or vectors onto the support. Inert, without an error, if there is none. */
GB_API gb_transform gb_dist_reach(gb_dist d);

/* Where x is outside the support: a boolean for each element of the batch. Inert, without an error, if no x
 * is outside, or if the type has no support of its own (a wrapper). */
GB_API gb_node gb_dist_outside(gb_dist d, gb_node x);

GB_END_DECLS
#endif
