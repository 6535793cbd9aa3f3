/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is checked of an operation, in this order; each stands in the file of its name. */
#ifndef GREBE_KIT_OPS_CHECKS_IMPL_H
#define GREBE_KIT_OPS_CHECKS_IMPL_H

#include "kit/ops/case_impl.h"

/* The kernel of a case that was recorded: before anything else runs. */
void gb_op_check_writes(gb_op_case *c);
void gb_op_check_derivatives(gb_op_check *check, unsigned number);
void gb_op_check_misuse(gb_op_check *check, unsigned number);
void gb_op_check_memory(gb_op_check *check);

#endif
