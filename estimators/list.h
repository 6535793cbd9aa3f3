/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimators that grebe has, each with its options. A new one is a file and its lines here. */
#ifndef GREBE_ESTIMATORS_LIST_H
#define GREBE_ESTIMATORS_LIST_H

#include "estimator.h"

GB_BEGIN_DECLS

/* Pathwise (reparameterised): z = g(θ, ε), and the gradient goes through the draw. Needs a distribution with
 * a reparameterised sampler, and a cost that is differentiable in z. gb_pathwise() draws independent samples.
 *
 * gb_pathwise(.draws = GB_ANTITHETIC) and GB_SOBOL draw them together, as quantiles of uniforms: each has the law of q,
 * and their mean is known better where the cost is nearly linear (antithetic: samples 2k and 2k + 1 come from u and
 * 1 − u) or smooth (scrambled Sobol points; best for 2ⁿ samples, at most 1024 elements). They need a quantile function,
 * or what is made of standard normals, and a cost that does not mix samples. The standard error of their mean is not
 * that of independent samples. */
typedef enum gb_draws { GB_INDEPENDENT, GB_ANTITHETIC, GB_SOBOL } gb_draws;
typedef struct gb_pathwise_options {
    size_t size;
    gb_draws draws;
} gb_pathwise_options;
#define gb_pathwise(...) GB_CALL_0(gb_pathwise, .size = sizeof(gb_pathwise_options), __VA_ARGS__)
GB_API gb_estimator gb_pathwise_with(const gb_pathwise_options *options);

/* Score function (REINFORCE): (f − b) ∂ log q(z). Needs only values of the cost. Without a baseline its
 * variance is large: gb_score(.baseline = gb_leave_one_out()). gb_score() is without. */
typedef struct gb_score_options {
    size_t size;
    gb_baseline baseline;
} gb_score_options;
#define gb_score(...) GB_CALL_0(gb_score, .size = sizeof(gb_score_options), __VA_ARGS__)
GB_API gb_estimator gb_score_with(const gb_score_options *options);

/* VarGrad: half the gradient of the variance of the costs between samples; score with gb_leave_one_out(), sample for
 * sample. */
GB_API gb_estimator gb_vargrad(void);

/* Sticking the landing: pathwise, without the mean-zero gradient that the parameters have through the own log q at a fixed
 * draw, so that its variance vanishes where q is exact. Needs gb_draw_log_prob in the cost. */
GB_API gb_estimator gb_sticking_the_landing(void);

/* Measure-valued: a parameter's derivative is c (E₊[f] − E₋[f]), for each element of each parameter that is no
 * constant. Two evaluations of the cost for each of them; small variance, and needs values of the cost only. */
GB_API gb_estimator gb_measure_valued(void);

/* ARM, for bernoulli: (f(b) − f(b′)) (u − ½) in the logits, with b from u and b′ from 1 − u. Two evaluations, however
 * many elements. */
GB_API gb_estimator gb_arm(void);

/* DisARM: ARM averaged over the uniforms that give the same pair. Never worse. */
GB_API gb_estimator gb_disarm(void);

/* Relaxed draws (Concrete, Gumbel-softmax), for bernoulli and one_hot_categorical: the gradient goes through a draw that
 * lies between the values. Biased: value and gradient are those of the relaxed expectation, and tend to the right ones
 * only as the temperature tends to 0, where the variance grows. The cost must be defined and smooth between the values. */
typedef struct gb_relaxed_draws_options {
    size_t size;
    double temperature; /* 0: 0.5 */
    gb_node annealed;   /* in place of `temperature`, if it is a node: a variable, to be changed by gb_set */
} gb_relaxed_draws_options;
#define gb_relaxed_draws(...)                                                                                \
    GB_CALL_0(gb_relaxed_draws, .size = sizeof(gb_relaxed_draws_options), __VA_ARGS__)
GB_API gb_estimator gb_relaxed_draws_with(const gb_relaxed_draws_options *options);

/* Straight-through: the value that is nearest to the relaxed draw, with the derivative of the relaxed draw. The value of
 * the expectation is unbiased, its gradient is not. */
#define gb_straight_through(...)                                                                             \
    GB_CALL_0(gb_straight_through, .size = sizeof(gb_straight_through_options), __VA_ARGS__)
typedef gb_relaxed_draws_options gb_straight_through_options;
GB_API gb_estimator gb_straight_through_with(const gb_straight_through_options *options);

/* REBAR, for bernoulli and one_hot_categorical: the score function, with the cost of a relaxed draw as control variate.
 * Three evaluations; needs a cost that is defined and smooth between the values. */
typedef struct gb_rebar_options {
    size_t size;
    double temperature; /* of the relaxation; 0: 0.5 */
    double eta;         /* how much of the control variate; 0: 1 */
    bool learn;         /* move eta (a variable, "SITE.eta") towards a smaller variance */
} gb_rebar_options;
#define gb_rebar(...) GB_CALL_0(gb_rebar, .size = sizeof(gb_rebar_options), __VA_ARGS__)
GB_API gb_estimator gb_rebar_with(const gb_rebar_options *options);

/* RELAX, for bernoulli and one_hot_categorical: the score function, with a control variate c(z) that need not know the
 * cost, and is learned: gb_minimise lowers the variance in its variables. One evaluation of the cost, of values only.
 *
 * z is logits + logistic noise (normalised log probabilities + Gumbel noise), with the shape of a draw, which is 1 where
 * z is above 0 (where it is the largest). `surrogate` records c, a real: it is summed over its shape, and over rows where
 * the cost has none. It is called twice; variables are made before, and those of c that the cost does not depend on are
 * learned (GB_LEARNED_MOST at most). NULL: c = a + Σ (b s + d s²), s = sigmoid(z / temperature), where a, b, d are
 * variables "SITE.offset", "SITE.linear", "SITE.square" that start at 0, with the shape of a draw (a: a number). */
typedef gb_node gb_surrogate(const gb_site *site, gb_node z, const void *user);
typedef struct gb_relax_options {
    size_t size;
    gb_surrogate *surrogate;
    const void *user;   /* for it */
    double temperature; /* of the surrogate that is taken for NULL; 0: 0.5 */
} gb_relax_options;
#define gb_relax(...) GB_CALL_0(gb_relax, .size = sizeof(gb_relax_options), __VA_ARGS__)
GB_API gb_estimator gb_relax_with(const gb_relax_options *options);

/* Dropout, for bernoulli_dropout(weight, keep) and unit_dropout: pathwise in the weight, whose mask is drawn as `mask` says, with its
 * gradient in keep: any estimator for a bernoulli, .mask = gb_arm(). Without one the rate is fixed: keep must
 * be a constant, or stopped. The mask is a draw of its own, "SITE.mask". With masks that are relaxed (concrete dropout,
 * Gal, Hron and Kendall 2017: gb_relaxed_draws) the weights are no values of their distribution, and have no log q.
 *
 * What is scaled by 1 / keep is bernoulli_dropout(weight / keep, keep), and its gradient in keep has both parts. A mask
 * for all weights of a unit is unit_dropout(weight, keep), of (…, inputs, outputs) and (…, inputs). Masks differ from row
 * to row where .per_row says so, or the parameters vary over rows. */
typedef struct gb_dropout_draws_options {
    size_t size;
    gb_estimator mask;
    bool per_row;
} gb_dropout_draws_options;
#define gb_dropout_draws(...)                                                                                \
    GB_CALL_0(gb_dropout_draws, .size = sizeof(gb_dropout_draws_options), __VA_ARGS__)
GB_API gb_estimator gb_dropout_draws_with(const gb_dropout_draws_options *options);

/* Gauss–Hermite quadrature, for normals and what is made of them (lognormal, multivariate_normal, transformed): a
 * weighted sum over `nodes` values, which have a gradient. Exact for costs that are polynomials of a degree below
 * 2 nodes in the normal, and near it for smooth ones. Of n numbers it takes nodesⁿ evaluations, at most 2²⁰. */
typedef struct gb_quadrature_options {
    size_t size;
    double nodes; /* a whole number up to 256; 0: 64 */
} gb_quadrature_options;
#define gb_quadrature(...) GB_CALL_0(gb_quadrature, .size = sizeof(gb_quadrature_options), __VA_ARGS__)
GB_API gb_estimator gb_quadrature_with(const gb_quadrature_options *options);

/* Enumeration: exact, for what can be listed. Of n numbers with K values each, Kⁿ evaluations. */
GB_API gb_estimator gb_enumerated(void);

/* clang-format off */
#define GB_ESTIMATOR_LIST(do_)                                                                               \
    do_(pathwise) do_(score) do_(vargrad) do_(sticking_the_landing) do_(enumerate) do_(quadrature)           \
    do_(measure) do_(relaxed) do_(straight_through) do_(arm) do_(disarm) do_(rebar) do_(relax) do_(dropout)
/* clang-format on */

#define GB_DECLARE_ESTIMATOR(name) GB_API extern const gb_estimator_type gb_##name##_estimator_type;
GB_ESTIMATOR_LIST(GB_DECLARE_ESTIMATOR)
#undef GB_DECLARE_ESTIMATOR

GB_DECLARE_KIND(gb_estimator, gb_estimators)

GB_END_DECLS
#endif
