/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/tolerant_impl.h"

#include "core/run/program_impl.h"

void gb_program_tolerate(gb_program *program)
{
    if (program && program->goal.target_count == 0 && !program->plans)
        program->goal.tolerates = true;
}
