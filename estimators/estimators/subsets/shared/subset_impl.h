/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators that evaluate the cost at a few of all values, each of them once.
 *
 * Value s has the weight p_s c_s. c_s does not depend on the parameters, and its mean over the draws is 1 for
 * each value. So the weighted sum has the mean E[f] for any p, and its gradients of all orders have the right
 * mean. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SUBSETS_SHARED_SUBSET_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SUBSETS_SHARED_SUBSET_IMPL_H

#include "estimators/estimator.h"

/* All values, and their probabilities without a gradient, in ascending order of their keys. */
typedef struct gb_ranking {
    int64_t count;
    gb_node values, place; /* in the order of gb_joint_values; index of the value of each rank */
    gb_node p;             /* of each rank */
    gb_node key;           /* of each rank */
} gb_ranking;

/* Ranks all values by log p, or (`perturbed`) by log p plus Gumbel noise. Then the last k are k draws without
 * replacement. */
gb_ranking gb_ranking_of(const gb_site *site, bool perturbed);

/* Returns `most` or the number of values, whichever is less; 0 on error. */
int64_t gb_subset_evaluations(const gb_site *site, int64_t most);

/* Returns the values of these indices, for `draw`, and keeps c (one number for each) and the matrix of
 * baselines for `combine`: the baseline of value s is the product of row s and the costs. */
gb_node gb_subset_draw(gb_site *site, const gb_ranking *all, gb_node places, gb_node c, gb_node baselines);

/* Returns the square matrix `others` (or columns of these numbers), but with `own` on its diagonal. */
gb_node gb_subset_matrix(gb_node others, gb_node own);

gb_node gb_subset_weights(const gb_site *site);
gb_node gb_subset_combine(const gb_site *site, gb_node costs);

/* The slots of such a gb_estimator_type. Its file has functions `evaluations` and `draw`, and a `table` of
 * these options. */
#define GB_SUBSET_SLOTS(options_struct)                                                                      \
    .needs = GB_NEEDS(GB_CAN_ENUMERATE) | GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,                \
    .expansion = GB_DRAWN_WEIGHTS, .evaluations = evaluations, .draw = draw, .combine = gb_subset_combine,   \
    .weights = gb_subset_weights, .options = table, .option_bytes = sizeof(options_struct)

#endif
