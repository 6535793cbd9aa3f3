/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_OPS_PRODUCTS_CONTRACT_PLAN_IMPL_H
#define GREBE_OPS_PRODUCTS_CONTRACT_PLAN_IMPL_H

#include "ops/products/contract_impl.h"

/* Plans the contraction over `count` axes, at most GB_CONTRACT_AXES. Returns false if it needs OpenBLAS, and
 * OpenBLAS cannot be loaded or there is no memory for it: then call gb_blas_fail. */
bool gb_contract_prepare(gb_contract *contract, gb_real real, gb_isa isa, int count,
                         const gb_contract_axis *axes);

#endif
