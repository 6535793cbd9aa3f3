/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plans of a program, one for each number of samples and rows. */
#ifndef GREBE_CORE_RUN_PLANS_IMPL_H
#define GREBE_CORE_RUN_PLANS_IMPL_H

#include "core/run/program_impl.h"

/* Stores the number of rows that was fed to the program's inputs; −1 if it has none with rows. Returns false
 * on error. */
bool gb_program_rows(gb_program *program, int64_t *rows);

/* Returns the plan for the current sizes; makes it if necessary. NULL on error. */
gb_plan *gb_plan_find(gb_program *program);

/* Returns whether all variables that the plan reads have values. If not, records an error. */
bool gb_plan_has_values(const gb_plan *plan, gb_tape *tape);

/* Returns the number of threads that a run of the plan uses. */
size_t gb_plan_threads(const gb_plan *plan);

#endif
