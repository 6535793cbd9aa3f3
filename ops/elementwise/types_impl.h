/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of types_vector.c. */
#ifndef GREBE_OPS_ELEMENTWISE_TYPES_IMPL_H
#define GREBE_OPS_ELEMENTWISE_TYPES_IMPL_H

#include "core/kernels/block_impl.h"

GB_DECLARE_KERNELS(not )
GB_DECLARE_KERNELS(and)
GB_DECLARE_KERNELS(or)
GB_DECLARE_KERNELS(bool_to_real)
GB_DECLARE_KERNELS(int_to_real)
GB_DECLARE_KERNELS(real_to_int)

#endif
