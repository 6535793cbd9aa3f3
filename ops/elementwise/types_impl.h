/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of types_vector.c, and their tables. */
#ifndef GREBE_OPS_ELEMENTWISE_TYPES_IMPL_H
#define GREBE_OPS_ELEMENTWISE_TYPES_IMPL_H

#include "core/kernels/block_impl.h"

#define GB_OF_TYPES(name, arguments, value) GB_DECLARE_KERNELS(name)
#include "ops/elementwise/types_table.h"
#undef GB_OF_TYPES

#endif
