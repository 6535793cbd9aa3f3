/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to say of a run that came to a value that is not finite. */
#ifndef GREBE_CORE_RUN_NONFINITE_IMPL_H
#define GREBE_CORE_RUN_NONFINITE_IMPL_H

#include "core/run/program_impl.h"

/* Says in the tape's error which operation made the value that a check of the plan's latest run refused. Returns its code. */
gb_status gb_explain_nonfinite(gb_program *program, const gb_plan *plan, gb_check check);

#endif
