/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal scores of ranks. */
#ifndef GREBE_FITTING_DIAGNOSTICS_SCORES_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_SCORES_IMPL_H

#include "fitting/diagnostics/order_impl.h"

/* Replaces `count` numbers by their normal scores Φ⁻¹((rank − 3/8) / (count + 1/4)). Equal ones have the
 * score of their mean rank. `x` has room for `count` rounded up to a multiple of 8, `ranked` for `count`. */
void gb_normal_scores(double *x, size_t count, gb_ranked *ranked);

#endif
