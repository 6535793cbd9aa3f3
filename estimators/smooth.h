/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a gradient through a draw can be right: not where the cost jumps as the draw moves. */
#ifndef GREBE_ESTIMATORS_SMOOTH_H
#define GREBE_ESTIMATORS_SMOOTH_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* False where the value of `cost` depends on `draw` through an operation that jumps (a floor, a sign, a comparison),
 * which `jump` then receives; or on error, and `jump` is NULL. What gb_stop stands before is not looked at, nor what
 * gb_continuous vouches for; densities are continuous inside their support. */
GB_API bool gb_is_smooth(gb_node cost, gb_node draw, const gb_op **jump);

GB_END_DECLS
#endif
