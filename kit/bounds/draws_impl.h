/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_BOUNDS_DRAWS_IMPL_H
#define GREBE_KIT_BOUNDS_DRAWS_IMPL_H

#include "kit/bounds/case_impl.h"

/* Checks TIGHT, SIDE, DRAWS, SCORE and ELBO at log weights of draws. */
void gb_bound_check_draws(gb_bound_check *c);

#endif
