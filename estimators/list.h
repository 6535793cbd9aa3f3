/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimators of grebe, each with its options. A new estimator is a file, and its lines here. */
#ifndef GREBE_ESTIMATORS_LIST_H
#define GREBE_ESTIMATORS_LIST_H

#include "estimator.h"

GB_BEGIN_DECLS

/* Pathwise (reparameterised): z = g(θ, ε), and the gradient passes through the draw. Needs a distribution
 * with a reparameterised sampler, and a cost that is differentiable in z. gb_pathwise() draws independent
 * samples.
 *
 * gb_pathwise(.draws = GB_ANTITHETIC) and GB_SOBOL draw the samples of a run jointly, as quantiles of
 * uniforms; each sample has the distribution q. Antithetic samples 2k and 2k + 1 come from u and 1 − u: their
 * mean has less variance if the cost is nearly linear. Scrambled Sobol points have less variance if the cost
 * is smooth; they are best for 2ⁿ samples, and allow at most 1024 elements. Both need a quantile function, or
 * a distribution made of standard normals, and a cost that does not mix samples. The standard error for
 * independent samples does not apply to their mean. */
typedef struct gb_pathwise_options {
    size_t size;
    gb_draws draws;
} gb_pathwise_options;
#define gb_pathwise(...) GB_CALL_0(gb_pathwise, .size = sizeof(gb_pathwise_options), __VA_ARGS__)
GB_API gb_estimator gb_pathwise_with(const gb_pathwise_options *options);

/* Score function (REINFORCE): (f − b) ∂ log q(z). Needs only values of the cost. gb_score() has no baseline,
 * and a large variance; gb_score(.baseline = gb_leave_one_out()) has less.
 *
 * gb_score(.draws = GB_ANTITHETIC) and GB_SOBOL draw the samples of a run jointly, as those of gb_pathwise();
 * q may be discrete. Then a baseline must not be made of samples that depend on the one that it corrects.
 * gb_leave_one_out() leaves the antithetic pair out; with Sobol points it is rejected, since all samples of a
 * run depend on each other. Baselines by earlier runs fit both. */
typedef struct gb_score_options {
    size_t size;
    gb_baseline baseline;
    gb_draws draws;
} gb_score_options;
#define gb_score(...) GB_CALL_0(gb_score, .size = sizeof(gb_score_options), __VA_ARGS__)
GB_API gb_estimator gb_score_with(const gb_score_options *options);

/* MuProp: the score function of the cost less its first-order Taylor series at the mean of q, whose gradient
 * is known. Sites that depend on each other by this estimator are at their means together: one further
 * evaluation for any number of them, the mean-field network. q needs a mean in closed form. The cost must be
 * defined at means, also where they lie between the values of a discrete q, and is differentiated there.
 *
 * The baseline is one of what the series leaves of the cost. One that evaluates the cost itself is rejected.
 * */
typedef struct gb_muprop_options {
    size_t size;
    gb_baseline baseline;
} gb_muprop_options;
#define gb_muprop(...) GB_CALL_0(gb_muprop, .size = sizeof(gb_muprop_options), __VA_ARGS__)
GB_API gb_estimator gb_muprop_with(const gb_muprop_options *options);

/* VarGrad: half the gradient of the variance of the costs over the samples. Equal, sample by sample, to
 * gb_score with gb_leave_one_out(). */
GB_API gb_estimator gb_vargrad(void);

/* Sticking the landing: pathwise, without the gradient in the parameters through log q at a fixed draw, which
 * has mean zero. So the variance is 0 where q is exact. Needs gb_draw_log_prob in the cost. */
GB_API gb_estimator gb_sticking_the_landing(void);

/* Measure-valued: the derivative in a parameter is c (E₊[f] − E₋[f]). Takes two evaluations of the cost for
 * each element of each parameter that is not constant. Has a small variance, and needs only values of the
 * cost. */
GB_API gb_estimator gb_measure_valued(void);

/* ARM, for bernoulli: the gradient in the logits is (f(b) − f(b′)) (u − ½), with b drawn from u and b′ from 1
 * − u. Takes two evaluations for any number of elements. */
GB_API gb_estimator gb_arm(void);

/* DisARM: the mean of ARM over all uniforms that give the same pair. Its variance is never larger than that
 * of ARM. */
GB_API gb_estimator gb_disarm(void);

/* ARMS, for bernoulli: `draws` antithetic draws for any number of elements, and the leave-one-out gradient of
 * them, divided by 1 − their correlation. The value is the mean cost of all draws, each of which has the
 * distribution q. gb_arms(.draws = 2) is DisARM. */
typedef struct gb_arms_options {
    size_t size;
    int64_t draws; /* evaluations for each sample, 2 to 1024; 0: 4 */
} gb_arms_options;
#define gb_arms(...) GB_CALL_0(gb_arms, .size = sizeof(gb_arms_options), __VA_ARGS__)
GB_API gb_estimator gb_arms_with(const gb_arms_options *options);

/* Bitflip-1, for bernoulli: flips one element of the n, which is chosen uniformly. Only the derivative in its
 * probability is not 0: n times the difference of the two costs. Takes two evaluations. Unlike DisARM, its
 * variance does not grow where a probability tends to 0 or 1. */
GB_API gb_estimator gb_bitflip(void);

/* Unbiased gradient variance clipping (UGC), for bernoulli: bitflip-1 for elements whose probability is
 * within 1 / 2n of 0 or 1, and DisARM for the other ones of the n. Takes three evaluations. */
GB_API gb_estimator gb_ugc(void);

/* Relaxed draws (Concrete, Gumbel-softmax), for bernoulli and one_hot_categorical: the gradient passes
 * through a draw that lies between the values. Biased: value and gradient are those of the relaxed
 * expectation. The bias vanishes as the temperature tends to 0, but the variance then grows. The cost must be
 * defined and smooth between the values. */
typedef struct gb_relaxed_draws_options {
    size_t size;
    double temperature; /* 0: 0.5 */
    gb_node annealed;   /* if it is a node, replaces `temperature`: a variable, to be changed by gb_set */
} gb_relaxed_draws_options;
#define gb_relaxed_draws(...)                                                                                \
    GB_CALL_0(gb_relaxed_draws, .size = sizeof(gb_relaxed_draws_options), __VA_ARGS__)
GB_API gb_estimator gb_relaxed_draws_with(const gb_relaxed_draws_options *options);

/* Straight-through: the value nearest to the relaxed draw, with the derivative of the relaxed draw. The value
 * of the expectation is unbiased; its gradient is biased. */
#define gb_straight_through(...)                                                                             \
    GB_CALL_0(gb_straight_through, .size = sizeof(gb_straight_through_options), __VA_ARGS__)
typedef gb_relaxed_draws_options gb_straight_through_options;
GB_API gb_estimator gb_straight_through_with(const gb_straight_through_options *options);

/* Straight-through as the identity, for bernoulli and one_hot_categorical: the draw, with the derivative of
 * its mean. The value of the expectation is unbiased; its gradient is biased unless the cost is linear in the
 * draw. It has no temperature: gb_straight_through() has the derivative of a relaxed draw instead. */
GB_API gb_estimator gb_straight_through_mean(void);

/* ReinMax, for bernoulli and one_hot_categorical: straight-through as the identity, of second order. The
 * value of the expectation is unbiased; its gradient is biased unless the cost is quadratic in each draw and
 * the temperature is 1. */
typedef struct gb_reinmax_options {
    size_t size;
    double temperature; /* of the probabilities that the draw is averaged with; 0: 1 */
} gb_reinmax_options;
#define gb_reinmax(...) GB_CALL_0(gb_reinmax, .size = sizeof(gb_reinmax_options), __VA_ARGS__)
GB_API gb_estimator gb_reinmax_with(const gb_reinmax_options *options);

/* Rao-Blackwellised straight-through, for bernoulli and one_hot_categorical: gb_straight_through() with the
 * mean derivative of several relaxed draws, given the draw. The mean of the gradient is the same, and its
 * variance less. Takes one evaluation. */
typedef struct gb_gumbel_rao_options {
    size_t size;
    double temperature; /* 0: 0.5 */
    int64_t draws;      /* relaxed draws, 1 to 100000; 0: 10 */
} gb_gumbel_rao_options;
#define gb_gumbel_rao(...) GB_CALL_0(gb_gumbel_rao, .size = sizeof(gb_gumbel_rao_options), __VA_ARGS__)
GB_API gb_estimator gb_gumbel_rao_with(const gb_gumbel_rao_options *options);

/* REBAR, for bernoulli and one_hot_categorical: the score function with the cost of a relaxed draw as control
 * variate. Takes three evaluations. The cost must be defined and smooth between the values.
 *
 * eta and the temperature may be learned: they minimise the variance. eta is the variable "SITE.eta"; the
 * temperature is `temperature` · `temperature_factor`^tanh(v), where the variable v, "SITE.warmth", starts at
 * 0. With `each_element` both have a number for each element of the draw (of one-hot vectors: for each
 * vector). The slope of the variance in the temperature is a second gradient of the cost. So a learned
 * temperature is rejected if a later draw depends on this one by an estimator whose gradient cannot be
 * differentiated. Several costs of one draw share its temperature: it is learned from the first.
 *
 * Layers of rebar that depend on each other take 3^L evaluations. With `relax_later` they take 1 + 2 L: at
 * the two probes of a layer the later ones, which depend on it, are relaxed too. */
typedef struct gb_rebar_options {
    size_t size;
    double temperature; /* of the relaxation; 0: 0.5. Where it is learned: at the start */
    double eta;         /* multiplier of the control variate; 0: 1. Where it is learned: at the start */
    /* True: eta is learned. The costs are then taken relative to their running mean, since any other level
     * would be noise where eta is not 1. */
    bool learn;
    double temperature_factor; /* a learned temperature is within this factor of `temperature`; 0: 5 */
    bool learn_temperature;    /* true: the temperature is learned */
    bool each_element;         /* true: what is learned has a number for each element of the draw */
    bool relax_later;          /* true: at the probes, later draws that depend on this one are relaxed */
} gb_rebar_options;
#define gb_rebar(...) GB_CALL_0(gb_rebar, .size = sizeof(gb_rebar_options), __VA_ARGS__)
GB_API gb_estimator gb_rebar_with(const gb_rebar_options *options);

/* RELAX, for bernoulli and one_hot_categorical: the score function with a control variate c(z), which may be
 * independent of the cost. c is learned: gb_minimise minimises the variance in its variables. Takes one
 * evaluation of the cost, and needs only its value.
 *
 * z is logits + logistic noise for bernoulli, and normalised log probabilities + Gumbel noise for
 * one_hot_categorical. It has the shape of a draw. The draw is 1 where z > 0, or where z is largest.
 *
 * `surrogate` records u(z), a real node, which is then summed over its shape, and over rows if the cost has
 * none. c is mean + deviation · u, with the running moments of the cost (gb_site_cost_scale), so that u is of
 * order 1 whatever the unit of the cost. With `in_cost_unit`, c is u itself: for a surrogate that contains
 * parts of the cost. The function is called twice, so create its variables beforehand. The variables of u
 * that the cost does not depend on are learned, at most GB_LEARNED_MOST. NULL: u = a + Σ (b s + d s²) + o ·
 * tanh(W (s − ½) + h) with s = sigmoid(z / temperature), and `hidden` units of tanh. Then a, b, d, o, h are
 * the variables "SITE.offset", "SITE.linear", "SITE.square", "SITE.outputs" and "SITE.biases", which start at
 * 0; a is a number, b and d have the shape of a draw. W are fixed random numbers plus the variable
 * "SITE.weights". */
typedef gb_node gb_surrogate(const gb_site *site, gb_node z, const void *user);
typedef struct gb_relax_options {
    size_t size;
    gb_surrogate *surrogate;
    const void *user;   /* passed to `surrogate` */
    double temperature; /* of the default surrogate; 0: 0.5 */
    bool in_cost_unit;  /* c is the surrogate as it is, not mean + deviation · surrogate */
    int64_t hidden;     /* units of a network in the default surrogate, up to 1024; 0: none */
} gb_relax_options;
#define gb_relax(...) GB_CALL_0(gb_relax, .size = sizeof(gb_relax_options), __VA_ARGS__)
GB_API gb_estimator gb_relax_with(const gb_relax_options *options);

/* Double control variates, for bernoulli and one_hot_categorical: gb_score with gb_leave_one_out(), of the
 * cost less alpha times its linear part, whose gradient is known. The slopes of the linear part are those of
 * the cost at the other samples. Takes one evaluation, and at least two samples. The cost must be defined
 * between the values, since it is differentiated at them. */
typedef struct gb_double_cv_options {
    size_t size;
    double alpha; /* multiplier of the linear part; 0: 1 */
    bool learn;   /* alpha is the variable "SITE.alpha", and minimises the variance */
} gb_double_cv_options;
#define gb_double_cv(...) GB_CALL_0(gb_double_cv, .size = sizeof(gb_double_cv_options), __VA_ARGS__)
GB_API gb_estimator gb_double_cv_with(const gb_double_cv_options *options);

/* RODEO, for bernoulli: gb_score with gb_leave_one_out(), and two control variates of mean 0 by the Stein
 * operator A of Gibbs steps: A l in the baseline, and A (l d log q). l is the linear part of the cost, as in
 * gb_double_cv; in the paper it is passed through a learned network. Takes one evaluation, and at least two
 * samples. The cost must be defined between the values, since it is differentiated at them. */
typedef struct gb_rodeo_options {
    size_t size;
    double alpha; /* multiplier of A l; 0: 1 */
    double beta;  /* multiplier of A (l d log q); 0: 0.5 */
    bool learn;   /* they are the variables "SITE.alpha" and "SITE.beta", and minimise the variance */
} gb_rodeo_options;
#define gb_rodeo(...) GB_CALL_0(gb_rodeo, .size = sizeof(gb_rodeo_options), __VA_ARGS__)
GB_API gb_estimator gb_rodeo_with(const gb_rodeo_options *options);

/* Dropout, for bernoulli_dropout(weight, keep) and unit_dropout(weight, keep): pathwise in the weight. The
 * estimator `mask` draws the mask and gives the gradient in keep; any estimator for bernoulli works, as .mask
 * = gb_arm(). Without `mask` the rate is fixed: keep must be a constant, or stopped. The mask is a draw of
 * its own, named "SITE.mask". With relaxed masks (concrete dropout, Gal, Hron and Kendall 2017:
 * gb_relaxed_draws) the weights are not values of their distribution, so they have no log q.
 *
 * Dropout that divides kept weights by keep is bernoulli_dropout(weight / keep, keep); its gradient in keep
 * has both parts. unit_dropout(weight, keep) has one mask for all weights of a unit; the shapes are (…,
 * inputs, outputs) and (…, inputs). Each row has a mask of its own if .per_row is true, or if the parameters
 * vary over rows. */
typedef struct gb_dropout_draws_options {
    size_t size;
    gb_estimator mask;
    bool per_row;
} gb_dropout_draws_options;
#define gb_dropout_draws(...)                                                                                \
    GB_CALL_0(gb_dropout_draws, .size = sizeof(gb_dropout_draws_options), __VA_ARGS__)
GB_API gb_estimator gb_dropout_draws_with(const gb_dropout_draws_options *options);

/* Gauss–Hermite quadrature, for normals and distributions made of them (lognormal, multivariate_normal,
 * transformed): a weighted sum over nodes, which have a gradient in the parameters. Exact if the cost is a
 * polynomial of degree below 2 · nodes in the normal; accurate if the cost is smooth. For n numbers it takes
 * nodesⁿ evaluations, at most 2²⁰. */
typedef struct gb_quadrature_options {
    size_t size;
    double nodes; /* nodes for each number, an integer up to 256; 0: 64 */
} gb_quadrature_options;
#define gb_quadrature(...) GB_CALL_0(gb_quadrature, .size = sizeof(gb_quadrature_options), __VA_ARGS__)
GB_API gb_estimator gb_quadrature_with(const gb_quadrature_options *options);

/* Enumeration: the exact sum over all values of a discrete distribution. For n numbers with K values each, it
 * takes Kⁿ evaluations. */
GB_API gb_estimator gb_enumerated(void);

/* Σ_k w_k f(z_k), over the components of a gb_mixture: the cost is evaluated for each, at a pathwise draw of
 * it, so the gradient in the weights has no noise of a choice. For a gb_mixture of distributions with a
 * reparameterised sampler, without a batch, also within transforms, as gb_mixture_posterior has it. */
GB_API gb_estimator gb_components(void);

/* ---- for choices among K categories: categorical and one_hot_categorical ----
 *
 * The draws of all elements of a batch are made together, so the numbers of evaluations do not depend on how
 * many elements there are. */

/* ARSM: a draw from K exponentials, and one more for each pair of them swapped. Takes 1 + K (K − 1) / 2
 * evaluations. With two categories it is ARM. */
GB_API gb_estimator gb_arsm(void);

/* DisARM for K categories, each with two evaluations; with two categories they are DisARM. The two draws are
 * antithetic in a path of choices between 0 and 1: by sticks (one category or a later one) or in a tree of
 * halves. gb_disarm_iw weights pairs of draws by importance. */
GB_API gb_estimator gb_disarm_iw(void);
GB_API gb_estimator gb_disarm_sb(void);
GB_API gb_estimator gb_disarm_tree(void);

/* ---- for discrete draws with a finite list of values ----
 *
 * The cost is evaluated at some of the values, each of them once. A batch of n numbers with K values is one
 * choice among Kⁿ, at most 2²⁰. If all values are evaluated, these are gb_enumerated(). They need only values
 * of the cost; gradients of their gradients are right. The evaluations of several such draws multiply. */

/* Sum and sample: the most probable values are summed over, and one draw from the others stands for these.
 * Takes summed + 1 evaluations. */
typedef struct gb_sum_and_sample_options {
    size_t size;
    int64_t summed; /* values that are summed over, at least 1; 0: 3 */
} gb_sum_and_sample_options;
#define gb_sum_and_sample(...)                                                                               \
    GB_CALL_0(gb_sum_and_sample, .size = sizeof(gb_sum_and_sample_options), __VA_ARGS__)
GB_API gb_estimator gb_sum_and_sample_with(const gb_sum_and_sample_options *options);

/* The unordered set estimator: values drawn without replacement, and the mean over all orders in which they
 * may have been drawn. Its baseline for each value is an estimate by the others. */
typedef struct gb_unordered_set_options {
    size_t size;
    int64_t draws; /* evaluations, 2 to 10; 0: 4 */
} gb_unordered_set_options;
#define gb_unordered_set(...)                                                                                \
    GB_CALL_0(gb_unordered_set, .size = sizeof(gb_unordered_set_options), __VA_ARGS__)
GB_API gb_estimator gb_unordered_set_with(const gb_unordered_set_options *options);

/* Values drawn without replacement by Gumbel noise, with importance weights. These do not sum to 1, so a
 * constant in the cost is noise in the value; it is none in the gradient, which has a baseline by the other
 * draws. For few draws take gb_unordered_set(), which is the mean over all thresholds of the noise, and has
 * less variance: that of this one would be infinite below 4 draws, and not measurable below 8. */
typedef struct gb_gumbel_top_k_options {
    size_t size;
    int64_t draws; /* evaluations, 8 to 1024; 0: 16 */
} gb_gumbel_top_k_options;
#define gb_gumbel_top_k(...) GB_CALL_0(gb_gumbel_top_k, .size = sizeof(gb_gumbel_top_k_options), __VA_ARGS__)
GB_API gb_estimator gb_gumbel_top_k_with(const gb_gumbel_top_k_options *options);

/* ---- for bounds of several draws (bound.h) ----
 *
 * L is the bound, l_k the log weight of particle k, v_k = ∂L/∂l_k (of the importance weighted bound the
 * normalised weights), h_k = ∂ log q(z_k). Besides these, such a bound may have all estimators that are no
 * weighted sum over values and have no GB_NEEDS_SEPARATE_ROWS; with it sticking_the_landing equals
 * pathwise. */

/* Doubly reparameterised gradients: pathwise, with v_k − ∂v_k/∂l_k for v_k along the draw (v_k² in the
 * importance weighted bound), and without h_k. Unbiased; its signal-to-noise ratio rises as √K, where that of
 * pathwise falls as 1/√K. Every draw that depends on this one must have a path (pathwise, dreg). With one
 * particle it is sticking the landing. */
GB_API gb_estimator gb_dreg(void);

/* Generalised doubly reparameterised gradients: dreg, which also replaces the score Σ v_k ∂ log p(z_k) of the
 * prior p of its draw: by that of the draw as one of p, with its noise held. Unbiased; it is for priors with
 * parameters, as those of layers that depend on other draws. The log weight has the prior by
 * gb_draw_log_prior, which gb_latent calls. p has a location and a scale, or a distribution function in
 * closed form, or is a transform of such a law; its ends are fixed, and those of q. Rejected with a message:
 * other priors, and one that depends on draws made from this draw. */
GB_API gb_estimator gb_gdreg(void);

/* Sticking the landing as it was published, without h_k: biased with more than one particle. dreg is what
 * mends it. */
GB_API gb_estimator gb_stl_as_published(void);

/* VIMCO: (L − L_k) h_k besides the part −v_k h_k of the bound itself, where L_k has a mean of the other
 * weights for w_k. GB_ARITHMETIC_MEAN makes L_k of an importance weighted bound that of the others alone: a
 * leave-one-out signal. Needs only values of the weights; any q. At least two particles. */
typedef enum gb_mean_of_weights { GB_GEOMETRIC_MEAN, GB_ARITHMETIC_MEAN } gb_mean_of_weights;
typedef struct gb_vimco_options {
    size_t size;
    gb_mean_of_weights mean;
} gb_vimco_options;
#define gb_vimco(...) GB_CALL_0(gb_vimco, .size = sizeof(gb_vimco_options), __VA_ARGS__)
GB_API gb_estimator gb_vimco_with(const gb_vimco_options *options);

/* OVIS: (L − v_k − c_k) h_k, where c_k is the mean of L − v_k over `rounds` new draws of particle k, for
 * which the weights are evaluated again. */
typedef struct gb_ovis_options {
    size_t size;
    int64_t rounds; /* 0: 1 */
} gb_ovis_options;
#define gb_ovis(...) GB_CALL_0(gb_ovis, .size = sizeof(gb_ovis_options), __VA_ARGS__)
GB_API gb_estimator gb_ovis_with(const gb_ovis_options *options);

/* OVIS by its limits: c_k = L_k − γ v_k + (1 − γ) log(1 − 1/K), with the arithmetic mean in L_k. γ = 1 is the
 * limit of even weights; it is biased, since v_k depends on the draw. γ = 0 is that of one weight, and
 * unbiased. At least two particles. */
typedef struct gb_ovis_asymptotic_options {
    size_t size;
    double one_weight; /* 1 − γ, from 0 to 1; 0: γ = 1 */
} gb_ovis_asymptotic_options;
#define gb_ovis_asymptotic(...)                                                                              \
    GB_CALL_0(gb_ovis_asymptotic, .size = sizeof(gb_ovis_asymptotic_options), __VA_ARGS__)
GB_API gb_estimator gb_ovis_asymptotic_with(const gb_ovis_asymptotic_options *options);

/* Wake phase of reweighted wake–sleep: v_k h_k. It descends KL(p ‖ q) over q, and not the bound, so it is
 * called biased. The model still has the gradient of the bound. */
GB_API gb_estimator gb_wake(void);

/* Sleep phase: the bound has no gradient in q; q descends −log q(z | x) at latents and data that are drawn
 * from the model. For latents of gb_elbo alone, whose q is made from the data (gb_posterior_of); gb_elbo_loss
 * adds their loss, which does not show in its value. All latents with draws have it, or none. With the ELBO
 * or gb_iwae for the model this is the wake–sleep algorithm. */
GB_API gb_estimator gb_sleep(void);

/* The covariance gradient of the thermodynamic objective. Biased: its means under the path are by weights. */
GB_API gb_estimator gb_path_covariance(void);

/* clang-format off */
/* The members of the library, each as do_(name). */
#define GB_ESTIMATOR_LIST(do_)                                                                               \
    do_(pathwise) do_(score) do_(vargrad) do_(sticking_the_landing) do_(enumerate) do_(quadrature)           \
    do_(measure) do_(relaxed) do_(straight_through) do_(straight_through_mean) do_(arm) do_(disarm)          \
    do_(arms) do_(bitflip) do_(ugc) do_(rebar) do_(relax) do_(muprop) do_(double_cv) do_(rodeo) do_(dropout) \
    do_(arsm) do_(disarm_iw) do_(disarm_sb) do_(disarm_tree) do_(reinmax) do_(gumbel_rao)                    \
    do_(sum_and_sample) do_(unordered_set) do_(gumbel_top_k) do_(components)                                 \
    do_(dreg) do_(gdreg) do_(stl_as_published) do_(vimco) do_(ovis) do_(ovis_asymptotic) do_(wake)           \
    do_(path_covariance) do_(sleep)
/* clang-format on */

#define GB_DECLARE_ESTIMATOR(name) GB_API extern const gb_estimator_type gb_##name##_estimator_type;
GB_ESTIMATOR_LIST(GB_DECLARE_ESTIMATOR)
#undef GB_DECLARE_ESTIMATOR

GB_DECLARE_KIND(gb_estimator, gb_estimators)

/* A list of estimators: GB_ESTIMATORS(gb_pathwise(), gb_score()). C++ calls gb_estimators_of. The list points
 * to the caller's values and does not copy them. */
typedef struct gb_estimator_list {
    const gb_estimator *estimator;
    size_t count;
} gb_estimator_list;
#define GB_ESTIMATORS(...)                                                                                   \
    ((gb_estimator_list){.estimator = (const gb_estimator[]){__VA_ARGS__},                                   \
                         .count = sizeof((const gb_estimator[]){__VA_ARGS__}) / sizeof(gb_estimator)})
GB_API gb_estimator_list gb_estimators_of(size_t count, const gb_estimator *estimators);

GB_END_DECLS
#endif
