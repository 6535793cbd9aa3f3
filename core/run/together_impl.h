/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the members of a team do together. On a tape without a team each is done alone. */
#ifndef GREBE_CORE_RUN_TOGETHER_IMPL_H
#define GREBE_CORE_RUN_TOGETHER_IMPL_H

#include "core/run/program_impl.h"

/* Runs a plan of the program for its step, and reads the checks. `plan` is NULL where planning failed; the
 * tape has the error then. Returns false on error; nothing is committed. */
bool gb_program_go(gb_program *program, gb_plan *plan);

#endif
