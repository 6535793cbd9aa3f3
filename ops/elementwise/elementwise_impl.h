/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of elementwise_vector.c, the table of pairs, and how a boolean result is inferred. */
#ifndef GREBE_OPS_ELEMENTWISE_ELEMENTWISE_IMPL_H
#define GREBE_OPS_ELEMENTWISE_ELEMENTWISE_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/op.h"
#include "core/plan/pair_impl.h"

#define GB_UNARY(name, ...) GB_DECLARE_KERNELS(name)
#define GB_STEP(name, ...) GB_DECLARE_KERNELS(name)
#define GB_BINARY(name, ...) GB_DECLARE_KERNELS(name)
#define GB_COMPARE(name, ...) GB_DECLARE_KERNELS(name)
#include "ops/elementwise/elementwise_table.h"
#undef GB_UNARY
#undef GB_STEP
#undef GB_BINARY
#undef GB_COMPARE
GB_DECLARE_KERNELS(where)
GB_DECLARE_KERNELS(trigamma)
GB_DECLARE_KERNELS(tetragamma)

/* An `infer`: the arguments broadcast, and the result is boolean. */
bool gb_infer_boolean(gb_infer *infer);

/* The table of pairs, which all elementwise operations share. */
extern const struct gb_pair gb_pairs[];

#endif
