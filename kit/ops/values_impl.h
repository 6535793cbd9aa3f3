/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_OPS_VALUES_IMPL_H
#define GREBE_KIT_OPS_VALUES_IMPL_H

#include "kit/ops/case_impl.h"

/* True where the value of a case is random; it is unsteady, and that is found, where the same step is not the same. */
bool gb_op_case_is_random(gb_op_case *c);
/* A case that ran: its value elsewhere and among others. */
void gb_op_check_values(gb_op_case *c);
void gb_op_check_threads(gb_op_check *check);
void gb_op_check_nan(gb_op_check *check);

#endif
