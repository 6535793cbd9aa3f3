/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What estimators for draws of 0 and 1 have in common. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_BINARY_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_BINARY_IMPL_H

#include "estimators/estimator.h"

/* `lacks` of a gb_estimator_type: NULL for a bernoulli. */
const char *gb_lacks_bernoulli(const gb_dist *q, const void *options);

/* log p − log(1 − p), in the parameter that it has. */
gb_node gb_binary_logits(const gb_dist *q);

/* Two antithetic draws of one vector of uniforms u, all elements at once: 1 where u > 1 − p, and where u < p. u is
 * left in site->kept[0]. `evaluations` and `draw` of a gb_estimator_type. */
int64_t gb_binary_pair_evaluations(const gb_site *site);
gb_node gb_binary_pair_draw(gb_site *site);

#endif
