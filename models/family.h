/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families: the shapes that q may take. A family makes the variables of one latent quantity, named
 * after it, and the distribution that they are the parameters of; or, as a point, no distribution at all.
 *
 * What is free. A family is given the support of the prior, and owns the way there: it works with real numbers
 * (the *free* ones) and maps them onto the support by the transform that gb_dist_reach knows, with its Jacobian
 * in log q, once. Positive numbers are e^x, an interval low + (high − low) sigmoid(x), a simplex of n
 * probabilities has n − 1 free numbers (distributions/transforms.h). Real numbers are free as they are. A prior
 * that no transform reaches (of counts, say) is refused; gb_posterior_of takes any.
 *
 * Where it starts. Starts are those of the free numbers: with the prior of a scale, .location = log 0.5 and
 * .scale = 0.2 begin at about 0.5 give or take 20 %. Each family takes
 *     .location    one number for all elements (0)
 *     .spread      normal noise of that standard deviation around it, from the stream VARIABLE.start, which goes with
 *                  the seed (0: none)
 *     .locations   gb_constant(t, shape, values): one for each free number, in place of both
 *     .scale       the standard deviation of q (0: 0.1)
 * Variables that a reset tape finds again keep their values.
 *
 * The weights of a network NEED a spread, mostly 1 / sqrt(inputs). Units that start alike have the same gradients and stay
 * alike: with points for ever, and with ReLU at 0 they do not move at all; with other families it is left to the noise of
 * the draws to part them, which takes longer and ends lower. Nobody warns of it, since an even start is right for all that
 * is no network: for coefficients, groups, scales.
 *
 * Latents local to a row: gb_posterior_of(q), where q has parameters for each row, be they made from the data
 * (amortised) or found in a table by the row's number:
 *
 *     gb_node at = gb_input_rows_ints(t, "index", gb_shape());
 *     gb_node loc = gb_gather(gb_variable(t, "z.location", gb_shape(N), gb_fill(0)), 0, at);
 *     gb_node z = gb_latent(e, "z", gb_posterior_of(gb_normal(loc, scale)), prior, gb_pathwise());
 *
 * Its KL is summed over the rows of a batch, and scaled as its data are. */
#ifndef GREBE_MODELS_FAMILY_H
#define GREBE_MODELS_FAMILY_H

#include "../distributions/distribution.h"

GB_BEGIN_DECLS

/* A family with its options, and the shape of what it is for; by value. type NULL: none was given. */
typedef struct gb_family {
    const struct gb_family_type *type;
    gb_packed options;
    gb_shape shape;
    bool row_by_row; /* see gb_row_by_row */
} gb_family;

/* What a family is to be the posterior of. Its length is fixed within a soname: gb_slot_for fills it. */
typedef struct gb_slot {
    size_t size;
    gb_tape *tape;
    const char *name;
    gb_shape shape;     /* of the latent */
    gb_shape free;      /* of the free numbers */
    gb_transform reach; /* from them onto the support; inert: they are the latent */
    bool is_reachable;  /* false: no transform reaches the support */
} gb_slot;

/* Where the free numbers start: their mean and standard deviation. */
typedef struct gb_family_start {
    double location, scale; /* scale 0: a point */
    bool is_near;           /* only to first order in scale */
} gb_family_start;

typedef struct gb_family_type {
    GB_PLUGIN_HEAD;
    /* One of the two is REQUIRED, the other NULL. Both make their variables on the tape of the slot, with names
     * that begin with "NAME." (or are it). `posterior` gives q, over the support; `point` the value itself, of
     * which there is one and no log q. `options` is the options struct of the type, with defaults filled in. */
    gb_dist (*posterior)(const gb_slot *slot, const void *options);
    gb_node (*point)(const gb_slot *slot, const void *options);
    bool any_support; /* it makes no use of `reach`, and takes what is not reachable too */
    /* OPTIONAL: what its options say of its start. False, or NULL: nothing that is the same for all elements. */
    bool (*start)(const gb_slot *slot, const void *options, gb_family_start *start);
    GB_RESERVE(8);
} gb_family_type;

/* clang-format off */
#define GB_FAMILY_LIST(do_)                                                                                  \
    do_(point) do_(mean_field) do_(low_rank) do_(full_rank) do_(matching) do_(dropout) do_(given)
/* clang-format on */
#define GB_DECLARE_FAMILY(name) GB_API extern const gb_family_type gb_##name##_family_type;
GB_FAMILY_LIST(GB_DECLARE_FAMILY)
#undef GB_DECLARE_FAMILY

/* How a variable of all reals becomes a scale. */
typedef enum gb_scale_map {
    GB_SCALE_SOFTPLUS, /* scale = log(1 + e^x): steps of x are steps of a large scale */
    GB_SCALE_EXP       /* scale = e^x: steps of x are relative ones, of any scale */
} gb_scale_map;
GB_API extern const char *const gb_scale_maps[8]; /* "softplus", "exp"; ended by NULL */

/* What the options of families begin with: where they start, as said at the top … */
#define GB_FAMILY_PLACE                                                                                      \
    double location;                                                                                         \
    double spread;                                                                                           \
    gb_node locations
#define GB_FAMILY_PLACE_ROWS(options_)                                                                       \
    GB_OPTION_NUMBER(options_, location, 0, GB_REAL, "where all elements start"),                            \
        GB_OPTION_NUMBER(options_, spread, 0, GB_NON_NEGATIVE, "of normal noise around it"),                 \
        GB_OPTION_NODE(options_, locations, "a number for each element, in place of both")

/* … and, of those that have one, their scale. */
#define GB_FAMILY_SCALE                                                                                      \
    double scale; /* 0: 0.1 */                                                                               \
    gb_scale_map map
#define GB_FAMILY_SCALE_ROWS(options_)                                                                       \
    GB_OPTION_NUMBER(options_, scale, 0.1, GB_POSITIVE, "standard deviation of q"),                          \
        GB_OPTION_CHOICE(options_, map, gb_scale_maps, "how a variable becomes a scale")

/* A point, which makes the most of prior and likelihood: the maximum a posteriori. No draw, no log q, and so
 * no bound on the evidence. The variable is NAME; where the prior is constrained, NAME.location, mapped onto the
 * support *without* a Jacobian: it is the density over the support that is greatest there, whatever the
 * variable. With gb_no_prior it is the maximum likelihood. */
typedef struct gb_point_options {
    size_t size;
    GB_FAMILY_PLACE;
} gb_point_options;
#define gb_point(...) GB_CALL_1(gb_point, __VA_ARGS__, .size = sizeof(gb_point_options))
GB_API gb_family gb_point_with(gb_shape shape, const gb_point_options *options);

/* Independent normals: gb_mean_field(gb_shape(1, 50), .spread = 1, .scale = 0.05), mapped onto the support (positive: they
 * are lognormal). Variables NAME.location, and NAME.raw_scale of softplus or NAME.log_scale of exp. */
typedef struct gb_mean_field_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
} gb_mean_field_options;
#define gb_mean_field(...) GB_CALL_1(gb_mean_field, __VA_ARGS__, .size = sizeof(gb_mean_field_options))
GB_API gb_family gb_mean_field_with(gb_shape shape, const gb_mean_field_options *options);

/* One normal over all n free numbers, however they are shaped, with covariance L Lᵀ. Variables, of numbers in a
 * row: NAME.location (n); NAME.raw_scale or NAME.log_scale (n), for the diagonal of L; NAME.lower (n, n), of
 * which what is below the diagonal is L's, and starts at 0. Costs n² a draw. */
typedef struct gb_full_rank_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
} gb_full_rank_options;
#define gb_full_rank(...) GB_CALL_1(gb_full_rank, __VA_ARGS__, .size = sizeof(gb_full_rank_options))
GB_API gb_family gb_full_rank_with(gb_shape shape, const gb_full_rank_options *options);

/* One normal over all n free numbers with covariance W Wᵀ + diag(scale²). Variables, of numbers in a row:
 * NAME.location (n); NAME.raw_scale or NAME.log_scale (n); NAME.factor (n, rank), which is W and starts as normal
 * noise from the stream NAME.factor.start, since nothing would move it away from 0. So the standard deviations
 * start at √(scale² + rank factor²), or near it. Costs n rank a draw. */
typedef struct gb_low_rank_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t rank;  /* 0: 1 */
    double factor; /* standard deviation of the noise; 0: a tenth of scale */
} gb_low_rank_options;
#define gb_low_rank(...) GB_CALL_1(gb_low_rank, __VA_ARGS__, .size = sizeof(gb_low_rank_options))
GB_API gb_family gb_low_rank_with(gb_shape shape, const gb_low_rank_options *options);

/* Independent distributions of the kind that the support suggests, which have closed forms against their like.
 * With m and s for location and scale:
 *     real numbers   normal
 *     positive       gamma: mean e^m, relative deviation s; or lognormal
 *     an interval    beta: mean sigmoid(m) of the way, its logit varies by about s;
 *                    or kumaraswamy: median sigmoid(m), the same to first order
 *     a simplex      dirichlet: mean softmax(m), n numbers of m, one s; Σ concentration = n / s²
 * Variables of normal and lognormal are NAME.location, and NAME.raw_scale or NAME.log_scale; of the others NAME.centre,
 * and NAME.raw_spread or NAME.log_spread. Other supports (ordered, factors of matrices) are refused in words. Draws of
 * gamma, beta and dirichlet are reparameterised implicitly. */
typedef enum gb_matching_positive { GB_MATCHING_GAMMA, GB_MATCHING_LOGNORMAL } gb_matching_positive;
typedef enum gb_matching_unit { GB_MATCHING_BETA, GB_MATCHING_KUMARASWAMY } gb_matching_unit;
typedef struct gb_mean_field_matching_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    gb_matching_positive positive;
    gb_matching_unit unit;
} gb_mean_field_matching_options;
#define gb_mean_field_matching(...)                                                                          \
    GB_CALL_1(gb_mean_field_matching, __VA_ARGS__, .size = sizeof(gb_mean_field_matching_options))
GB_API gb_family gb_mean_field_matching_with(gb_shape shape, const gb_mean_field_matching_options *options);

/* Bernoulli dropout as a posterior (Gal and Ghahramani 2016): each weight, or all weights (inputs, outputs) of an
 * input unit together, is `weight` with probability keep, else 0. Each latent has a rate of its own; biases are
 * not masked if their family is a point. Variables: NAME.weight; NAME.raw_keep, where keep = sigmoid(raw_keep),
 * if it is learned.
 *
 * The estimator of the latent draws the mask. With a fixed rate gb_pathwise() or gb_dropout_draws(); a learned
 * one needs .mask, as gb_dropout_draws(.mask = gb_arm()). q has no density, so a sampled KL is
 * refused; against a normal prior KL is Gal's approximation (distributions/families/composed/bernoulli_dropout.c). For real
 * numbers only. */
typedef struct gb_dropout_posterior_options {
    size_t size;
    GB_FAMILY_PLACE; /* of the weights; no `scale`: keep is what makes them vary */
    double keep;     /* REQUIRED: between 0 and 1, and neither; where it starts, or stays */
    bool is_learned; /* keep is a variable */
    bool by_unit;    /* a mask for each input unit: all but the last axis of the shape */
    bool rescaled;   /* kept weights are weight / keep, so that their mean is weight */
} gb_dropout_posterior_options;
#define gb_dropout_posterior(...)                                                                            \
    GB_CALL_1(gb_dropout_posterior, __VA_ARGS__, .size = sizeof(gb_dropout_posterior_options))
GB_API gb_family gb_dropout_posterior_with(gb_shape shape, const gb_dropout_posterior_options *options);

/* q itself, whatever it is made of: for latents of each row, for posteriors of counts, for one's own. Its support
 * and its variables are yours to see to: log p is −∞ for draws where the prior is not. */
typedef struct gb_posterior_of_options {
    size_t size;
    gb_dist q; /* the argument */
} gb_posterior_of_options;
GB_API gb_family gb_posterior_of(gb_dist q);

/* The same family with a draw of its own for each row: gb_row_by_row(gb_mean_field(shape)). There is one q, whose KL counts
 * once, and the expected log likelihood is the same; but the noise of a batch averages out over its rows (as with the local
 * reparameterisation of Kingma, Salimans and Welling 2015). Not for a point. */
GB_API gb_family gb_row_by_row(gb_family family);

GB_DECLARE_KIND(gb_family, gb_families)

/* ---- for authors of families (docs/add-a-family.md shows one) ---- */

/* The family of a type with these options, an options struct (NULL: all defaults), for what has this shape. For constructors. */
GB_API gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options);

/* The slot of a latent with this prior (inert: of real numbers). False, with an error on the tape, where the
 * family has no shape that the prior's support can have, or needs to reach it and cannot. */
GB_API bool gb_slot_of(gb_tape *tape, const char *name, gb_family family, gb_dist prior, gb_slot *slot);

/* The same for numbers of a domain, where there is no prior. */
GB_API bool gb_slot_reach(gb_slot *slot, const gb_domain *support);

/* A distribution of the free numbers as one over the support; where it is over a vector of all of them, in their
 * shape first. */
GB_API gb_dist gb_slot_reached(const gb_slot *slot, gb_dist of_free);

/* What the functions of its type make of a slot, with its options; inert or false, with an error on the tape, where these are
 * not in their domains. gb_family_starts is false, without error, where the type does not say where it starts. */
GB_API gb_dist gb_family_posterior(gb_family family, const gb_slot *slot);
GB_API gb_node gb_family_point(gb_family family, const gb_slot *slot);
GB_API bool gb_family_starts(gb_family family, const gb_slot *slot, gb_family_start *start);

/* How many free numbers there are. */
GB_API int64_t gb_slot_count(const gb_slot *slot);

/* Where locations start, and the variable NAME.PART that starts there: part NULL for NAME itself. */
typedef struct gb_start {
    double location, spread;
    gb_node each; /* a constant, in place of both; inert: none */
} gb_start;
GB_API gb_node gb_slot_location(const gb_slot *slot, const char *part, gb_shape shape, gb_start start);

/* A positive number PART that starts at `scale` (0: 0.1): softplus of NAME.raw_PART, or exp of NAME.log_PART. */
GB_API gb_node gb_slot_scale(const gb_slot *slot, const char *part, gb_shape shape, double scale,
                             gb_scale_map map);

/* The variable "OWNER.PART", with `start` in all elements. */
GB_API gb_node gb_part_variable(gb_tape *tape, const char *owner, const char *part, gb_shape shape,
                                double start);

GB_END_DECLS
#endif
