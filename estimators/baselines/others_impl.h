/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over others need others. */
#ifndef GREBE_ESTIMATORS_BASELINES_OTHERS_IMPL_H
#define GREBE_ESTIMATORS_BASELINES_OTHERS_IMPL_H

#include "estimators/estimator.h"

/* x; a run in which the axis has a single place, and x is needed, is refused: `who` has no others to take the mean of. */
gb_node gb_if_others(gb_node x, gb_axes axis, const char *who);

#endif
