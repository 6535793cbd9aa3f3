/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/first_row_impl.h"

#include "core/run/program_impl.h"

void gb_program_set_first_row(gb_program *program, uint64_t row)
{
    if (program)
        program->goal.rows.first = row;
}

void gb_program_set_apart(gb_program *program)
{
    enum { ROWS_OF_A_MEMBER = 40 }; /* as a power of two */
    const gb_team *const team = program ? program->goal.tape->mates.team : NULL;
    if (!team)
        return;
    program->goal.is_apart = true;
    program->goal.rows.before = (uint64_t)team->rank << ROWS_OF_A_MEMBER;
}
