/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/tolerant_impl.h"

#include "core/run/program_impl.h"

void gb_program_tolerate(gb_program *program, const void *maker)
{
    if (!program || program->goal.target_count > 0 || program->plans)
        return;
    program->goal.tolerates = true;
    program->maker = maker;
}

bool gb_program_is_by(const gb_program *program, const void *maker)
{
    return program->maker == maker;
}

void gb_program_demand_finite(gb_program *program)
{
    if (program && !program->plans)
        program->goal.is_strict = true;
}
