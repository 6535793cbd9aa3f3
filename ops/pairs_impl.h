/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of pairs_vector.c, and the table that elementwise operations carry. */
#ifndef GREBE_OPS_PAIRS_IMPL_H
#define GREBE_OPS_PAIRS_IMPL_H

#include "core/block_impl.h"
#include "core/pair_impl.h"

#define GB_PAIR(name, ...) GB_DECLARE_KERNELS(name)
#include "ops/pairs_table.h"
#undef GB_PAIR

extern const struct gb_pair gb_pairs[];

#endif
