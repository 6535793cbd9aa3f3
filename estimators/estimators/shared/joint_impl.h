/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A discrete draw as one choice among all its values: those of a batch of n numbers with K values each are
 * all Kⁿ combinations. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_SHARED_JOINT_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_SHARED_JOINT_IMPL_H

#include "estimators/estimator.h"

/* Returns how many values there are. Returns 0, and records an error, if there are too many. */
int64_t gb_joint_count(const gb_site *site);

/* Returns all values, along a new first axis. */
gb_node gb_joint_values(const gb_site *site);

/* Returns log q of values along a first axis, one number for each of them. */
gb_node gb_joint_log_probs(const gb_site *site, gb_node values);

/* Returns log q of all values, in the order of gb_joint_values: sums of those of the n numbers. */
gb_node gb_joint_all_log_probs(const gb_site *site);

#endif
