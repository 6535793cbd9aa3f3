/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation of a case with its arguments, T = Σ v · op(x), D = Σ u · ∂T/∂x, and their gradients. */
#ifndef GREBE_KIT_OPS_RECORD_IMPL_H
#define GREBE_KIT_OPS_RECORD_IMPL_H

#include "kit/ops/case_impl.h"

bool gb_op_has_domain(const gb_op *op);
bool gb_op_has_cases(const gb_op *op);

/* Records arguments and the operation: `value` and `real`. Returns false if that fails, or the result is
 * wrong. */
bool gb_op_case_record(gb_op_case *c);
/* Records T, D and their gradients; gb_op_case_record comes first. */
bool gb_op_case_record_gradients(gb_op_case *c);
/* Records the same instance again, with each argument replaced by `pass`. Returns its value, as a real. */
gb_node gb_op_case_again(gb_op_case *c, gb_case_pass *pass);

#endif
