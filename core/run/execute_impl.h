/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Carrying out a plan. */
#ifndef GREBE_CORE_RUN_EXECUTE_IMPL_H
#define GREBE_CORE_RUN_EXECUTE_IMPL_H

#include "core/plan/plan_impl.h"

/* Neither looks at the checks nor commits. */
void gb_plan_run(gb_plan *plan);

/* The first check that failed in the latest run, NULL if none did; clears all. */
const gb_check *gb_plan_failed(gb_plan *plan);

#endif
