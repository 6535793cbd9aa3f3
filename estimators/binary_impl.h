/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What estimators for draws of 0 and 1 have in common. */
#ifndef GREBE_ESTIMATORS_BINARY_IMPL_H
#define GREBE_ESTIMATORS_BINARY_IMPL_H

#include "estimators/estimator.h"

/* `lacks` of a gb_estimator_type: NULL for a bernoulli. */
const char *gb_lacks_bernoulli(const gb_dist *q, const void *options);

/* log p − log(1 − p), in the parameter that it has. */
gb_node gb_binary_logits(const gb_dist *q);

#endif
