/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient's own operations that plans treat specially. */
#ifndef GREBE_CORE_TAPE_ADJOINT_OPS_IMPL_H
#define GREBE_CORE_TAPE_ADJOINT_OPS_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/op.h"

extern const gb_op gb_total_op;

#endif
