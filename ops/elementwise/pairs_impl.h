/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of pairs_vector.c. */
#ifndef GREBE_OPS_ELEMENTWISE_PAIRS_IMPL_H
#define GREBE_OPS_ELEMENTWISE_PAIRS_IMPL_H

#include "core/kernels/block_impl.h"

#define GB_PAIR(name, ...) GB_DECLARE_KERNELS(name)
#include "ops/elementwise/pairs_table.h"
#undef GB_PAIR

#endif
