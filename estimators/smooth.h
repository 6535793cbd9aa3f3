/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a cost is continuous in a draw: otherwise the gradient through the draw is wrong. */
#ifndef GREBE_ESTIMATORS_SMOOTH_H
#define GREBE_ESTIMATORS_SMOOTH_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Returns false if the value of `cost` depends on `draw` through an operation that jumps (a floor, a sign, a
 * comparison), and stores that operation in `jump`. Also returns false on error, with `jump` NULL. Dependence
 * through gb_stop or gb_continuous is ignored. Densities count as continuous: they are so inside their
 * support. */
GB_API bool gb_is_smooth(gb_node cost, gb_node draw, const gb_op **jump);

GB_END_DECLS
#endif
