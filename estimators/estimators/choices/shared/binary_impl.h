/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators for draws of 0 and 1. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_BINARY_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_BINARY_IMPL_H

#include "estimators/estimator.h"

/* `lacks` of a gb_estimator_type: returns NULL for a bernoulli. */
const char *gb_lacks_bernoulli(const gb_dist *q, const void *options);

/* Returns log p − log(1 − p), from either parametrisation. */
gb_node gb_binary_logits(const gb_dist *q);

/* `evaluations` and `draw` of a gb_estimator_type: two antithetic draws from one array of uniforms u, all
 * elements at once. The draws are 1 where u > 1 − p, and where u < p. u is stored in site->kept[0]. */
int64_t gb_binary_pair_evaluations(const gb_site *site);
gb_node gb_binary_pair_draw(gb_site *site);

/* Returns the slope of the expected cost in the logits, estimated by DisARM from evaluations 0 and 1. */
gb_node gb_binary_pair_slope(const gb_site *site, gb_node costs);

/* Returns b with one element flipped, which is chosen uniformly for each sample (and row). */
gb_node gb_binary_flipped(const gb_site *site, gb_node b);

/* Returns the slope of the expected cost in the probabilities, estimated from evaluation 0 and from
 * evaluation `flipped`, in which one element differs: n times the difference of the costs at that element, 0
 * elsewhere. */
gb_node gb_binary_flip_slope(const gb_site *site, gb_node costs, int64_t flipped);

#endif
