/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to say of a run that came to a value that is not finite. */
#ifndef GREBE_CORE_RUN_NONFINITE_IMPL_H
#define GREBE_CORE_RUN_NONFINITE_IMPL_H

#include "core/run/program_impl.h"

/* After gb_plan_run: whether all checks hold; else the tape's error says which operation made the value that was refused. */
bool gb_plan_passes(gb_program *program, gb_plan *plan);

#endif
