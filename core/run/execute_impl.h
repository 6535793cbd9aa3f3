/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executing a plan. */
#ifndef GREBE_CORE_RUN_EXECUTE_IMPL_H
#define GREBE_CORE_RUN_EXECUTE_IMPL_H

#include "core/plan/plan_impl.h"

/* Executes the instructions. It neither reads the checks nor commits. */
void gb_plan_run(gb_plan *plan);

/* Executes the instructions of a plan without variables and inputs: that of a body. */
void gb_plan_run_code(gb_plan *plan);
/* Executes only those of the first run. */
void gb_plan_run_once(gb_plan *plan);

/* Returns the first check that failed in the latest run, NULL if none did. Clears all checks. */
const gb_check *gb_plan_failed(gb_plan *plan);

#endif
