/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_TRANSFORMS_WAYS_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_TRANSFORMS_WAYS_IMPL_H

#include "kit/distributions/transforms/case_impl.h"

/* Checks FLOAT, BATCH and, unless the values are only a part of `to`, ONTO, for a case recorded one by
 * one. */
void gb_transform_check_ways(gb_transform_case *c, bool is_part);

#endif
