/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of elementwise_vector.c. */
#ifndef GREBE_OPS_ELEMENTWISE_ELEMENTWISE_IMPL_H
#define GREBE_OPS_ELEMENTWISE_ELEMENTWISE_IMPL_H

#include "core/kernels/block_impl.h"

#define GB_UNARY(name, ...) GB_DECLARE_KERNELS(name)
#define GB_BINARY(name, ...) GB_DECLARE_KERNELS(name)
#define GB_COMPARE(name, ...) GB_DECLARE_KERNELS(name)
#include "ops/elementwise/elementwise_table.h"
#undef GB_UNARY
#undef GB_BINARY
#undef GB_COMPARE
GB_DECLARE_KERNELS(not )
GB_DECLARE_KERNELS(and)
GB_DECLARE_KERNELS(or)
GB_DECLARE_KERNELS(where)
GB_DECLARE_KERNELS(bool_to_real)
GB_DECLARE_KERNELS(int_to_real)
GB_DECLARE_KERNELS(real_to_int)
GB_DECLARE_KERNELS(trigamma)
GB_DECLARE_KERNELS(tetragamma)

#endif
