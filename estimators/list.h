/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimators that grebe has, and how they are asked for. A new one is a file and its lines here. */
#ifndef GREBE_ESTIMATORS_LIST_H
#define GREBE_ESTIMATORS_LIST_H

#include "estimator.h"

GB_BEGIN_DECLS

/* Pathwise (reparameterised): z = g(θ, ε), and the gradient goes through the draw. Needs a distribution with
 * a reparameterised sampler, and a cost that is differentiable in z. */
GB_API gb_estimator gb_pathwise(void);

/* Score function (REINFORCE): (f − b) ∂ log q(z). Needs only values of the cost. Without a baseline its
 * variance is large: gb_score(.baseline = gb_leave_one_out). gb_score() is without. */
typedef struct gb_score_options {
    size_t size;
    gb_baseline baseline;
} gb_score_options;
#define gb_score(...) gb_score_with((gb_score_options){.size = sizeof(gb_score_options), __VA_ARGS__})
GB_API gb_estimator gb_score_with(gb_score_options options);

/* VarGrad: half the gradient of the variance of the costs between samples; score with gb_leave_one_out, sample for
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

/* REBAR, for bernoulli: the score function, with the cost of a relaxed draw as control variate. Three evaluations; needs
 * a cost that is defined and smooth between 0 and 1. */
typedef struct gb_rebar_options {
    size_t size;
    double temperature; /* of the relaxation; 0: 0.5 */
    double eta;         /* how much of the control variate; 0: 1 */
    bool learn;         /* move eta (a variable, "SITE.eta") towards a smaller variance */
} gb_rebar_options;
#define gb_rebar(...) gb_rebar_with((gb_rebar_options){.size = sizeof(gb_rebar_options), __VA_ARGS__})
GB_API gb_estimator gb_rebar_with(gb_rebar_options options);

/* Enumeration: exact, for what can be listed. Of n numbers with K values each, Kⁿ evaluations. */
GB_API gb_estimator gb_enumerated(void);

/* clang-format off */
#define GB_ESTIMATOR_LIST(do_)                                                                               \
    do_(pathwise) do_(score) do_(vargrad) do_(sticking_the_landing) do_(enumerate) do_(measure) do_(arm) do_(disarm) do_(rebar)
/* clang-format on */

#define GB_DECLARE_ESTIMATOR(name) GB_API extern const gb_estimator_type gb_##name##_type;
GB_ESTIMATOR_LIST(GB_DECLARE_ESTIMATOR)
#undef GB_DECLARE_ESTIMATOR

/* All of them, `count` receives how many; and the one of a name, NULL if there is none. Constants. */
GB_API const gb_estimator_type *const *gb_estimators(size_t *count);
GB_API const gb_estimator_type *gb_estimator_find(const char *name);

/* What an estimator needs of a distribution that it has not, in words: "reparameterised sampler"; NULL: it fits. The
 * second asks for a type, with any options that fit. */
GB_API const char *gb_estimator_lacks(gb_estimator estimator, gb_dist distribution);
GB_API const char *gb_estimator_type_lacks(const gb_estimator_type *type, gb_dist distribution);

GB_END_DECLS
#endif
