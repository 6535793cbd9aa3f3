/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators with relaxed draws: discrete choices as functions of real numbers z. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_CHOICE_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_CHOICE_IMPL_H

#include "estimators/estimator.h"

/* `lacks` of a gb_estimator_type: returns NULL for a bernoulli and for a one_hot_categorical. */
const char *gb_lacks_choice(const gb_dist *q, const void *options);

/* z is logits + logistic noise, or normalised log probabilities + Gumbel noise. b is 1 where z > 0, or where
 * z is largest. z_given_b is a second z, drawn from the distribution of z given b. Both z have a gradient in
 * the parameters; b has none. */
typedef struct gb_choice_path {
    gb_node z, b, z_given_b;
} gb_choice_path;
gb_choice_path gb_choice_path_of(const gb_site *site);

/* Returns what z is added to noise: logits, or normalised log probabilities. gb_choice_logits_of: of other
 * probabilities p, in the shape of a draw. */
gb_node gb_choice_logits(const gb_dist *q);
gb_node gb_choice_logits_of(const gb_dist *q, gb_node p);

/* Returns z given that the draw is b: (draws) + the shape of a draw, with new noise. */
gb_node gb_choice_given(const gb_site *site, gb_node b, gb_shape draws);

/* Returns the relaxed draw: sigmoid(z / temperature), or softmax(z / temperature). */
gb_node gb_choice_relaxed(const gb_dist *q, gb_node z, double temperature);

/* Returns 1 where x > `middle`, or where x is largest; else 0. */
gb_node gb_choice_of(const gb_dist *q, gb_node x, double middle);

#endif
