/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_OPS_VALUES_IMPL_H
#define GREBE_KIT_OPS_VALUES_IMPL_H

#include "kit/ops/case_impl.h"

/* Returns whether the value of a case is random. A value that differs at the same step is reported as a
 * failure. */
bool gb_op_case_is_random(gb_op_case *c);
/* Checks the value of a case that ran: at one place, and fused with others. */
void gb_op_check_values(gb_op_case *c);
void gb_op_check_threads(gb_op_check *check);
/* NaN among the arguments, and numbers that are known at recording. */
void gb_op_check_nan(gb_op_check *check);

#endif
