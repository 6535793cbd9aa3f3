/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families: the forms that q may have. A family creates the variables of one latent, named after
 * it, and the distribution with these parameters. A point has a value instead of a distribution.
 *
 * Free numbers. A family receives the support of the prior. It works with real numbers, the *free* numbers,
 * and maps them onto the support by the transform of gb_dist_reach; the Jacobian enters log q once. Positive
 * numbers are e^x, an interval is low + (high − low) sigmoid(x), and a simplex of n probabilities has n − 1
 * free numbers (distributions/transforms.h). Real numbers are free numbers themselves. A prior whose support
 * no transform reaches (counts, say) is rejected; gb_posterior_of takes any prior.
 *
 * Start values are those of the free numbers: with the prior of a scale, .location = log 0.5 and .scale = 0.2
 * start at about 0.5 ± 20 %. Each family has the options
 *     .location    one number for all elements (0)
 *     .spread      standard deviation of normal noise around it (0: none), from the stream VARIABLE.start,
 *                  which depends on the seed
 *     .locations   gb_constant(t, shape, values): one value for each free number, in place of both
 *     .scale       the standard deviation of q (0: 0.1)
 * Variables that exist when a tape has been reset keep their values.
 *
 * The weights of a network NEED a spread, typically 1 / sqrt(inputs). Units with equal start values have
 * equal gradients and stay equal. With points they stay equal for ever, and with ReLU at 0 they do not move
 * at all. With other families only the noise of the draws separates them, which takes longer and ends at a
 * worse optimum. There is no warning, because equal start values are right for other models: for
 * coefficients, groups and scales.
 *
 * Latents local to a row: gb_posterior_of(q), where q has parameters for each row. They may be computed from
 * the data (amortised), or looked up in a table by the index of the row:
 *
 *     gb_node at = gb_input_rows_ints(t, "index", gb_shape());
 *     gb_node loc = gb_gather(gb_variable(t, "z.location", gb_shape(N), gb_fill(0)), 0, at);
 *     gb_node z = gb_latent(e, "z", gb_posterior_of(gb_normal(loc, scale)), prior, gb_pathwise());
 *
 * Their KL is summed over the rows of a batch, and scaled as the data are. */
#ifndef GREBE_MODELS_FAMILY_H
#define GREBE_MODELS_FAMILY_H

#include "../distributions/distribution.h"
#include "../estimators/estimator.h"

GB_BEGIN_DECLS

/* A family with its options and the shape of the latent, by value. type NULL: none was given. */
typedef struct gb_family {
    const struct gb_family_type *type;
    gb_packed options;
    gb_shape shape;
    bool row_by_row; /* see gb_row_by_row */
} gb_family;

/* A *slot*: the latent that a family is the posterior of. Its length is fixed within a soname. */
typedef struct gb_slot {
    size_t size;
    gb_tape *tape;
    const char *name;
    gb_shape shape;     /* of the latent */
    gb_shape free;      /* of the free numbers */
    gb_transform reach; /* from the free numbers onto the support; inert: the identity */
    bool is_reachable;  /* false: no transform reaches the support */
} gb_slot;

/* The start of the free numbers: their mean and standard deviation. */
typedef struct gb_family_start {
    double location, scale; /* scale 0: a point */
    bool is_near;           /* holds only to first order in scale */
} gb_family_start;

/* The type of a posterior family. */
typedef struct gb_family_type {
    GB_PLUGIN_HEAD;
    /* One of the two is REQUIRED, the other NULL. Both create their variables on the tape of the slot, named
     * NAME or "NAME.…". `posterior` returns q over the support. `point` returns the value itself; there is no
     * log q. `options` is the options struct of the type, with defaults filled in. */
    gb_dist (*posterior)(const gb_slot *slot, const void *options);
    gb_node (*point)(const gb_slot *slot, const void *options);
    bool any_support; /* does not use `reach`, so it takes any support */
    /* OPTIONAL: writes the start of the free numbers. Returns false if elements start differently. NULL:
     * always false. */
    bool (*start)(const gb_slot *slot, const void *options, gb_family_start *start);
    /* OPTIONAL, if points are different from sample to sample: returns the point of one member, which u, a
     * number in (0, 1), chooses. A prediction takes a member at random, the same one of all latents. NULL:
     * predictions reject the family then. */
    gb_node (*member)(const gb_slot *slot, const void *options, gb_node u);
    GB_RESERVE(7);
} gb_family_type;

/* clang-format off */
/* The members of the library, each as do_(name). */
#define GB_FAMILY_LIST(do_)                                                                                  \
    do_(point) do_(mean_field) do_(low_rank) do_(full_rank) do_(matching) do_(dropout) do_(given)      \
    do_(ensemble) do_(planar) do_(coupling) do_(spline) do_(autoregressive) do_(mixture) do_(banded)     \
    do_(amortised)
/* clang-format on */
#define GB_DECLARE_FAMILY(name) GB_API extern const gb_family_type gb_##name##_family_type;
GB_FAMILY_LIST(GB_DECLARE_FAMILY)
#undef GB_DECLARE_FAMILY

/* How a real variable becomes a scale. */
typedef enum gb_scale_map {
    GB_SCALE_SOFTPLUS, /* scale = log(1 + e^x): for a large scale, steps of x are steps of the scale */
    GB_SCALE_EXP       /* scale = e^x: steps of x are relative steps of the scale */
} gb_scale_map;
GB_API extern const char *const gb_scale_maps[8]; /* "softplus", "exp"; ended by NULL */

/* The first options of families: the start, as described at the top of this file … */
#define GB_FAMILY_PLACE                                                                                      \
    double location;                                                                                         \
    double spread;                                                                                           \
    gb_node locations
#define GB_FAMILY_PLACE_ROWS(options_)                                                                       \
    GB_OPTION_NUMBER(options_, location, 0, GB_REAL, "start of all elements"),                               \
        GB_OPTION_NUMBER(options_, spread, 0, GB_NON_NEGATIVE, "standard deviation of noise around it"),     \
        GB_OPTION_NODE(options_, locations, "start of each element, in place of both")

/* … and the scale, for families that have one. */
#define GB_FAMILY_SCALE                                                                                      \
    double scale; /* 0: 0.1 */                                                                               \
    gb_scale_map map
/* Its row of a table. */
#define GB_FAMILY_SCALE_ROWS(options_)                                                                       \
    GB_OPTION_NUMBER(options_, scale, 0.1, GB_POSITIVE, "standard deviation of q"),                          \
        GB_OPTION_CHOICE(options_, map, gb_scale_maps, "how a variable becomes a scale")

/* A point: the maximum a posteriori, or with gb_no_prior the maximum likelihood. It has no draw and no log q,
 * so there is no bound on the evidence. The variable is NAME. If the prior is constrained, it is
 * NAME.location, mapped onto the support *without* a Jacobian: the density over the support is maximised, for
 * any parametrisation. */
typedef struct gb_point_options {
    size_t size;
    GB_FAMILY_PLACE;
} gb_point_options;
#define gb_point(...) GB_CALL_1(gb_point, __VA_ARGS__, .size = sizeof(gb_point_options))
GB_API gb_family gb_point_with(gb_shape shape, const gb_point_options *options);

/* Several points, each trained from a start of its own (Lakshminarayanan, Pritzel and Blundell 2017): sample
 * i of a run has point i. So a run must have as many samples as there are members (gb_elbo_new(.samples = 5),
 * gb_program_set_samples), gb_predict_mean and gb_predict_sd are over the members, and all that depends on
 * one latent depends on one member; give all latents of a model as many. The loss is the mean of the members'
 * losses, so the members do not depend on each other. Without a spread they would all be the same.
 * Variable: NAME.members (members, …). */
typedef struct gb_ensemble_options {
    size_t size;
    GB_FAMILY_PLACE; /* start of each member; .locations has the shape (members, …) */
    double members;  /* REQUIRED: a whole number */
} gb_ensemble_options;
#define gb_ensemble(...) GB_CALL_1(gb_ensemble, __VA_ARGS__, .size = sizeof(gb_ensemble_options))
GB_API gb_family gb_ensemble_with(gb_shape shape, const gb_ensemble_options *options);

/* Independent normals, mapped onto the support: gb_mean_field(gb_shape(1, 50), .spread = 1, .scale = 0.05).
 * Positive latents are lognormal. Variables: NAME.location; NAME.raw_scale for softplus, or NAME.log_scale
 * for exp. */
typedef struct gb_mean_field_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
} gb_mean_field_options;
#define gb_mean_field(...) GB_CALL_1(gb_mean_field, __VA_ARGS__, .size = sizeof(gb_mean_field_options))
GB_API gb_family gb_mean_field_with(gb_shape shape, const gb_mean_field_options *options);

/* One normal over all n free numbers as a vector, with covariance L Lᵀ. Variables: NAME.location (n);
 * NAME.raw_scale or NAME.log_scale (n), for the diagonal of L; NAME.lower (n, n), whose elements below the
 * diagonal are those of L and start at 0. A draw costs n² operations. */
typedef struct gb_full_rank_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
} gb_full_rank_options;
#define gb_full_rank(...) GB_CALL_1(gb_full_rank, __VA_ARGS__, .size = sizeof(gb_full_rank_options))
GB_API gb_family gb_full_rank_with(gb_shape shape, const gb_full_rank_options *options);

/* One normal over all n free numbers as a vector, with covariance W Wᵀ + diag(scale²). Variables:
 * NAME.location (n); NAME.raw_scale or NAME.log_scale (n); NAME.factor (n, rank), which is W. W starts as
 * normal noise from the stream NAME.factor.start, because its gradient at 0 is 0. So the standard deviations
 * start at about √(scale² + rank factor²). A draw costs n · rank operations.
 *
 * .blocks cuts the free numbers, in the order of the shape, into so many equal parts, each with a covariance
 * of its own, W being its rows of NAME.factor; the parts are independent. For a latent of shape (groups, 3),
 * .blocks = groups correlates the numbers of each group. Blocks that do not divide n are rejected, and a rank
 * above n. */
typedef struct gb_low_rank_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t rank;   /* 0: 1 */
    double factor;  /* standard deviation of the start of W; 0: a tenth of scale */
    int64_t blocks; /* 0: 1 */
} gb_low_rank_options;
#define gb_low_rank(...) GB_CALL_1(gb_low_rank, __VA_ARGS__, .size = sizeof(gb_low_rank_options))
GB_API gb_family gb_low_rank_with(gb_shape shape, const gb_low_rank_options *options);

/* One normal over all n free numbers as a vector, whose precision (the inverse covariance) is a band matrix:
 * element i, j is 0 where |i − j| > band. So each number depends directly on the `band` numbers before it and
 * after it, in the order of the shape, as in a random walk, an autoregression, or any chain of states (Tan
 * and Nott 2018). n · band numbers have the covariances that NAME.lower of gb_full_rank has n² for. A latent
 * of shape (steps, d) with states that depend on the state before has the band 2 d − 1. A grid of shape
 * (h, w) with four neighbours has w. gb_density_band (fitting/density.h) finds the band that a model needs.
 *
 * z = centre + spread ⊙ u, with u_i = ε_i + Σ_k link[k, i] u_{i−1−k}. Variables: NAME.centre (n);
 * NAME.raw_spread or NAME.log_spread (n); NAME.link (band, n), which starts at 0, so q starts as a
 * gb_mean_field does. A draw costs n · band operations, one number after the other. KL is sampled. gb_fit
 * trains it by GB_FIT_STOCHASTIC. */
typedef struct gb_banded_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t band; /* 0: 1; n and more are n − 1, a full precision */
} gb_banded_options;
#define gb_banded(...) GB_CALL_1(gb_banded, __VA_ARGS__, .size = sizeof(gb_banded_options))
GB_API gb_family gb_banded_with(gb_shape shape, const gb_banded_options *options);

/* Independent distributions that match the support, with closed forms of KL against priors of the same type.
 * With m and s for location and scale:
 *     real numbers   normal
 *     positive       gamma: mean e^m, relative standard deviation s; or lognormal
 *     an interval    beta: mean sigmoid(m) of the interval, standard deviation of the logit about s;
 *                    or kumaraswamy: median sigmoid(m), the same to first order. Its b grows as
 *                    e^(1 / s): a run fails for s below some 0.0025, and 0.02 for floats (at m = 0)
 *     a simplex      dirichlet: mean softmax(m), with n numbers m and one s; Σ concentration = n / s²
 * Variables of normal and lognormal: NAME.location, and NAME.raw_scale or NAME.log_scale. Variables of the
 * others: NAME.centre, and NAME.raw_spread or NAME.log_spread. Other supports (ordered vectors, factors of
 * matrices) are rejected. Draws of gamma, beta and dirichlet are reparameterised implicitly. */
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

/* Bernoulli dropout as a posterior (Gal and Ghahramani 2016). Each weight is kept with probability keep, else
 * 0; or all weights (inputs, outputs) of an input unit together. All rows of a batch share the mask of a
 * sample; gb_row_by_row draws one for each row. Each latent has its own rate. A family gb_point for the
 * biases leaves them unmasked. Variables: NAME.weight; and, if keep is learned, NAME.raw_keep with keep =
 * sigmoid(raw_keep).
 *
 * The estimator of the latent draws the mask: gb_pathwise() or gb_dropout_draws() for a fixed rate; with
 * .mask for a learned one, as gb_dropout_draws(.mask = gb_arm()). q has no density, so a sampled KL is
 * rejected. Against a normal prior, KL is the approximation by Gal (docs/distributions.md). For real numbers
 * only. */
typedef struct gb_dropout_posterior_options {
    size_t size;
    GB_FAMILY_PLACE; /* start of the weights; there is no `scale` */
    double keep;     /* REQUIRED: 0 < keep < 1; fixed, or the start of the variable */
    bool is_learned; /* true: keep is a variable */
    bool by_unit;    /* one mask for each input unit, that is, for the last axis of the shape */
    bool rescaled;   /* kept weights are weight / keep, so that the mean is weight */
} gb_dropout_posterior_options;
#define gb_dropout_posterior(...)                                                                            \
    GB_CALL_1(gb_dropout_posterior, __VA_ARGS__, .size = sizeof(gb_dropout_posterior_options))
GB_API gb_family gb_dropout_posterior_with(gb_shape shape, const gb_dropout_posterior_options *options);

/* Flows: q is the distribution of centre + spread ⊙ F(x), where x is standard normal and F is a list of
 * `layers` maps with trained weights. All maps start as the identity, so q starts as a gb_mean_field does.
 * log q of a draw needs no inverse. Elsewhere (a score, gb_sticking_the_landing, gb_log_prob of a given
 * value) it does; all of these have one. Over a latent of n free numbers there is one flow, of all n. Their
 * KL is sampled, and gb_fit trains them by GB_FIT_STOCHASTIC. gb_judge says how good the result is. Variables
 * of all: NAME.centre (n); NAME.raw_spread or NAME.log_spread (n).
 *
 * gb_planar: y = x + u tanh(w·x + b), with u = v + c w such that w·u > −1 (Rezende and Mohamed 2015). Each
 * map bends q in one direction only. The inverse is found by bisection and Newton's method: 60 operations of
 * numbers for each map. NAME.shift (layers, n), which is v; NAME.normal (layers, n), which is w; NAME.offset
 * (layers), which is b. */
typedef struct gb_planar_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t layers; /* 0: 8 */
} gb_planar_options;
#define gb_planar(...) GB_CALL_1(gb_planar, __VA_ARGS__, .size = sizeof(gb_planar_options))
GB_API gb_family gb_planar_with(gb_shape shape, const gb_planar_options *options);

/* Affine couplings (RealNVP; Dinh, Sohl-Dickstein and Bengio 2017): each map keeps half of the numbers, and
 * moves the others by e^s x + t, with s = 5 tanh(r / 5). A network of `hidden` silu units computes r and t
 * from the kept ones. The halves alternate, and every two maps the numbers are halved in another order. The
 * inverse costs what the map does. One number alone stays normal. NAME.weight_in (layers, ⌈n/2⌉, hidden),
 * whose start is normal noise from the stream NAME.weight_in.start; NAME.bias_in (layers, hidden);
 * NAME.weight_out and NAME.bias_out, which start at 0. */
typedef struct gb_coupling_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t layers; /* 0: 6 */
    int64_t hidden; /* 0: 32 */
} gb_coupling_options;
#define gb_coupling(...) GB_CALL_1(gb_coupling, __VA_ARGS__, .size = sizeof(gb_coupling_options))
GB_API gb_family gb_coupling_with(gb_shape shape, const gb_coupling_options *options);

/* Spline couplings (Durkan, Bekasov, Murray and Papamakarios 2019): as gb_coupling, but a number is moved by
 * e^s g(x) + t. g is a rational-quadratic spline on [−3, 3] with `bins` bins, and g(x) = x outside. The
 * network computes the knots and the slopes there too. So the tails are linear, and their slope e^s depends
 * on the kept numbers (in the paper it is 1). Variables as those of gb_coupling. */
typedef struct gb_spline_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t layers; /* 0: 6 */
    int64_t hidden; /* 0: 32 */
    int64_t bins;   /* 0: 8; at least 2 */
} gb_spline_options;
#define gb_spline(...) GB_CALL_1(gb_spline, __VA_ARGS__, .size = sizeof(gb_spline_options))
GB_API gb_family gb_spline_with(gb_shape shape, const gb_spline_options *options);

/* Inverse autoregressive flow (Kingma et al. 2016): in each map number i moves by e^s x + t, with s and t
 * from the numbers before it in x, by one network with masks (Germain et al. 2015). Every second map goes
 * through the numbers backwards. A draw, with its log q, is one pass through each map. The inverse takes n
 * passes: log q of given values is slow to record and to run for many numbers. NAME.weight_in (layers, n,
 * hidden) and the others as those of gb_coupling; weights that a mask removes stay at their start. */
typedef struct gb_autoregressive_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t layers; /* 0: 4 */
    int64_t hidden; /* 0: 32 */
} gb_autoregressive_options;
#define gb_autoregressive(...)                                                                               \
    GB_CALL_1(gb_autoregressive, __VA_ARGS__, .size = sizeof(gb_autoregressive_options))
GB_API gb_family gb_autoregressive_with(gb_shape shape, const gb_autoregressive_options *options);

/* A mixture of `components` mean fields over all n free numbers. Their centres start as normal noise of
 * standard deviation .spread (0: that of .scale) around .location, since equal ones would stay equal; their
 * weights start equal. Variables: NAME.centre (components, n); NAME.raw_spread or NAME.log_spread
 * (components, n); NAME.logits (components). .locations has the shape (components, n).
 *
 * Its estimator is gb_components() (estimators/list.h). Scores work too; gb_pathwise is rejected. */
typedef struct gb_mixture_posterior_options {
    size_t size;
    GB_FAMILY_PLACE;
    GB_FAMILY_SCALE;
    int64_t components; /* 0: 2 */
} gb_mixture_posterior_options;
#define gb_mixture_posterior(...)                                                                            \
    GB_CALL_1(gb_mixture_posterior, __VA_ARGS__, .size = sizeof(gb_mixture_posterior_options))
GB_API gb_family gb_mixture_posterior_with(gb_shape shape, const gb_mixture_posterior_options *options);

/* Independent normals whose parameters are outputs of a network of yours (Kingma and Welling 2014): q is
 * amortised if the network reads inputs with rows. Then the latent has a draw for each row, with a KL of each
 * row; do not add gb_row_by_row. `network` is called once, while the latent is recorded. It returns 2 n
 * numbers for the n free numbers (gb_slot_count): n locations, to which .location is added, then n scales,
 * where 0 stands for .scale. They are mapped onto the support of the prior, with the Jacobian, which is what
 * gb_posterior_of leaves to you. The function owns its variables; slot->tape and slot->name are for their
 * names. An encoder of one layer:
 *
 *     static gb_node encoder(const gb_slot *slot, void *user)
 *     {
 *         const gb_node w = gb_variable(slot->tape, "encoder.weight", gb_shape(6, 4), gb_fill(0)),
 *                       b = gb_variable(slot->tape, "encoder.bias", gb_shape(4), gb_fill(0));
 *         return gb_affine(*(const gb_node *)user, w, b);
 *     }
 *     gb_node x = gb_input_rows(t, "x", gb_shape(6));
 *     gb_node z = gb_latent(e, "z", gb_amortised(gb_shape(2), .network = encoder, .user = &x),
 *                           gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
 *
 * A text (amortised:scale=0.5) has no place for the function: such a family is rejected until it has one. */
typedef gb_node gb_amortised_function(const gb_slot *slot, void *user);
typedef struct gb_amortised_options {
    size_t size;
    double location;
    GB_FAMILY_SCALE;
    gb_amortised_function *network; /* REQUIRED */
    void *user;                     /* passed to it */
} gb_amortised_options;
#define gb_amortised(...) GB_CALL_1(gb_amortised, __VA_ARGS__, .size = sizeof(gb_amortised_options))
GB_API gb_family gb_amortised_with(gb_shape shape, const gb_amortised_options *options);

/* The given q, a distribution of any kind: for latents of each row, for counts, for your own. You are
 * responsible for its support and its variables: log p is −∞ for draws outside the support of the prior. */
typedef struct gb_posterior_of_options {
    size_t size;
    gb_dist q; /* the argument */
} gb_posterior_of_options;
GB_API gb_family gb_posterior_of(gb_dist q);

/* Returns the family with separate draws for each row: gb_row_by_row(gb_mean_field(shape)). There is one q,
 * whose KL counts once, and the expected log likelihood is unchanged. But the noise averages out over the
 * rows of a batch, as with local reparameterisation (Kingma, Salimans and Welling 2015). Not for a point. */
GB_API gb_family gb_row_by_row(gb_family family);

/* In a text, "row_by_row:" before the family stands for gb_row_by_row. The shape has no text: gb_family_parse
 * gives a family of scalars, so set value.shape afterwards. */
GB_DECLARE_KIND(gb_family, gb_families)

/* ---- for authors of families (docs/add-a-family.md shows one) ---- */

/* Returns the family of a type with these options (an options struct; NULL: all defaults), for a latent of
 * this shape. For constructors. */
GB_API gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options);

/* Writes the slot of a latent with this prior (inert: real numbers). Returns false, and records an error, if
 * draws of the prior cannot have the shape of the family, or if no transform reaches the support and the
 * family needs one. */
GB_API bool gb_slot_of(gb_tape *tape, const char *name, gb_family family, gb_dist prior, gb_slot *slot);

/* Like gb_slot_of, for a latent without prior, over `support`. */
GB_API bool gb_slot_reach(gb_slot *slot, const gb_domain *support);

/* Returns the distribution over the support, from a distribution of the free numbers. A distribution over a
 * vector of all free numbers is first brought into their shape. */
GB_API gb_dist gb_slot_reached(const gb_slot *slot, gb_dist of_free);

/* Call the functions of the family's type, with its options. They return an inert value or false, and record
 * an error, if the options are not in their domains. gb_family_member fails for a family without members.
 * gb_family_starts returns false, without an error, if the type gives no start. */
GB_API gb_dist gb_family_posterior(gb_family family, const gb_slot *slot);
GB_API gb_node gb_family_point(gb_family family, const gb_slot *slot);
GB_API gb_node gb_family_member(gb_family family, const gb_slot *slot, gb_node u);
GB_API bool gb_family_starts(gb_family family, const gb_slot *slot, gb_family_start *start);

/* Sets the option .spread of a family, unless it has .spread or .locations already, or no such option. */
GB_API void gb_family_spread(gb_family *family, double spread);

/* Returns the number of free numbers. */
GB_API int64_t gb_slot_count(const gb_slot *slot);

/* gb_slot_location returns the variable NAME.PART (part NULL: NAME), which starts as `start` says. */
typedef struct gb_start {
    double location, spread;
    gb_node each; /* a constant, in place of both; inert: none */
} gb_start;
GB_API gb_node gb_slot_location(const gb_slot *slot, const char *part, gb_shape shape, gb_start start);

/* Returns a positive number that starts at `scale` (0: 0.1): softplus of NAME.raw_PART, or exp of
 * NAME.log_PART. */
GB_API gb_node gb_slot_scale(const gb_slot *slot, const char *part, gb_shape shape, double scale,
                             gb_scale_map map);

/* Returns the variable "OWNER.PART", with `start` in all elements. */
GB_API gb_node gb_part_variable(gb_tape *tape, const char *owner, const char *part, gb_shape shape,
                                double start);

GB_END_DECLS
#endif
