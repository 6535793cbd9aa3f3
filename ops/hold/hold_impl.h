/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_OPS_HOLD_HOLD_IMPL_H
#define GREBE_OPS_HOLD_HOLD_IMPL_H

#include "core/kernels/block_impl.h"

/* NaN where the boolean in[1] is true, else in[0]. */
GB_DECLARE_KERNELS(hold)

#endif
