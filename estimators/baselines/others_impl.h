/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over the other samples or rows, which must exist. */
#ifndef GREBE_ESTIMATORS_BASELINES_OTHERS_IMPL_H
#define GREBE_ESTIMATORS_BASELINES_OTHERS_IMPL_H

#include "estimators/estimator.h"

/* Returns for each sample the mean of x over the samples of other antithetic pairs; a last sample without a
 * pair is one of its own. x must vary over samples. A run that needs the result fails if there is only one
 * pair; the message names `who`. */
gb_node gb_mean_of_other_pairs(gb_node x, const char *who);

/* Returns whether a node is the result of gb_mean_of_other_pairs. */
bool gb_is_of_other_pairs(gb_node node);

#endif
