/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of an operation, in this order; each is in the file of its name. */
#ifndef GREBE_KIT_OPS_CHECKS_IMPL_H
#define GREBE_KIT_OPS_CHECKS_IMPL_H

#include "kit/ops/case_impl.h"

/* Checks the kernel of a recorded case, before anything else runs. */
void gb_op_check_writes(gb_op_case *c);
void gb_op_check_derivatives(gb_op_check *check, unsigned number);
void gb_op_check_misuse(gb_op_check *check, unsigned number);
void gb_op_check_memory(gb_op_check *check);

#endif
