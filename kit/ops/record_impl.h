/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation of a case with its arguments, T = Σ v · op(x), D = Σ u · ∂T/∂x, and their gradients. */
#ifndef GREBE_KIT_OPS_RECORD_IMPL_H
#define GREBE_KIT_OPS_RECORD_IMPL_H

#include "kit/ops/case_impl.h"

bool gb_op_has_domain(const gb_op *op);
bool gb_op_has_cases(const gb_op *op);

/* Arguments and the operation: `value` and `real`. False: it could not be recorded, or is not what it should be. */
bool gb_op_case_record(gb_op_case *c);
/* T, D and their gradients; gb_op_case_record comes first. */
bool gb_op_case_record_gradients(gb_op_case *c);
/* The same instance once more, each argument as `pass` makes it: its value, as a real. */
gb_node gb_op_case_again(gb_op_case *c, gb_case_pass *pass);

#endif
