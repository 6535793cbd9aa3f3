/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording and derivative of all noise operations. */
#ifndef GREBE_OPS_DRAWS_DRAWS_IMPL_H
#define GREBE_OPS_DRAWS_DRAWS_IMPL_H

#include "core/kernels/noise_impl.h"
#include "core/noise.h"
#include "ops/draws.h"

/* Records the stream's next draw, with `shape` and `axes` broadcast with the arguments. Stops the gradient of
 * the arguments. */
gb_node gb_noise_draw(const gb_op *op, gb_noise noise, gb_shape shape, gb_axes axes, size_t count,
                      const gb_node *arg);
bool gb_noise_infer(gb_infer *infer);
void gb_noise_vjp(const gb_vjp *v); /* no adjoint: no gradient flows through a draw */

#endif
