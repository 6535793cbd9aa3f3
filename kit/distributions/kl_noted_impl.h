/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_DISTRIBUTIONS_KL_NOTED_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_KL_NOTED_IMPL_H

#include "kit/distributions/case_impl.h"

/* One divergence of the case, in what its variables are. */
void gb_dist_check_noted(gb_dist_case *c, gb_node kl, const char *pair);

#endif
