/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choices by way of numbers: what estimators with relaxed draws have in common. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_CHOICE_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_CHOICE_IMPL_H

#include "estimators/estimator.h"

/* `lacks` of a gb_estimator_type: NULL for a bernoulli and for a one_hot_categorical. */
const char *gb_lacks_choice(const gb_dist *q, const void *options);

/* z is what is to be chosen (logits, or normalised log probabilities) plus logistic or Gumbel noise; b is 1 where z is
 * above 0, or where it is largest; and there is a second z of the law that z has given b. Both z have a gradient in the
 * parameters, b has none. */
typedef struct gb_choice_path {
    gb_node z, b, z_given_b;
} gb_choice_path;
gb_choice_path gb_choice_path_of(const gb_site *site);

/* Between the values of a choice: sigmoid(z / temperature), or softmax. */
gb_node gb_choice_relaxed(const gb_dist *q, gb_node z, double temperature);

/* The choice that x makes: 1 where it is above `middle`, or where it is largest. */
gb_node gb_choice_of(const gb_dist *q, gb_node x, double middle);

#endif
