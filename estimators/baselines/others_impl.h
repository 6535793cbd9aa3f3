/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over the other samples or rows, which must exist. */
#ifndef GREBE_ESTIMATORS_BASELINES_OTHERS_IMPL_H
#define GREBE_ESTIMATORS_BASELINES_OTHERS_IMPL_H

#include "estimators/estimator.h"

/* Returns x. A run that needs x fails if the axis has only one place; the message names `who`. */
gb_node gb_if_others(gb_node x, gb_axes axis, const char *who);

#endif
