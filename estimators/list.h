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

/* clang-format off */
#define GB_ESTIMATOR_LIST(do_)                                                                               \
    do_(pathwise) do_(score)
/* clang-format on */

#define GB_DECLARE_ESTIMATOR(name) GB_API extern const gb_estimator_type gb_##name##_type;
GB_ESTIMATOR_LIST(GB_DECLARE_ESTIMATOR)
#undef GB_DECLARE_ESTIMATOR

/* All of them, `count` receives how many; and the one of a name, NULL if there is none. Constants. */
GB_API const gb_estimator_type *const *gb_estimators(size_t *count);
GB_API const gb_estimator_type *gb_estimator_find(const char *name);

/* Whether a distribution has what an estimator needs. */
GB_API bool gb_estimator_fits(const gb_estimator_type *estimator, gb_dist distribution);

GB_END_DECLS
#endif
