/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_TRANSFORMS_WAYS_IMPL_H
#define GREBE_KIT_TRANSFORMS_WAYS_IMPL_H

#include "kit/transforms/case_impl.h"

/* FLOAT, BATCH and, but for values that are a part of `to`, ONTO, of a case that is recorded one by one. */
void gb_transform_check_ways(gb_transform_case *c, bool is_part);

#endif
