/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error message for a value that is not finite. */
#ifndef GREBE_CORE_RUN_NONFINITE_IMPL_H
#define GREBE_CORE_RUN_NONFINITE_IMPL_H

#include "core/run/program_impl.h"

/* Records the error for a failed check of the plan's latest run, which is repeated. The message names the
 * operation that made the value. NULL: no check failed here, but in another member of the team. Returns the
 * tape's error code. */
gb_status gb_explain_nonfinite(gb_program *program, const gb_plan *run, const gb_check *check);

/* Returns whether one of the values of a plan without fusion is as bad as this. */
bool gb_plan_has_worse(const gb_plan *plan, gb_finding found);

#endif
