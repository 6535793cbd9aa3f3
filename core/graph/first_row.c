/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/first_row_impl.h"

#include "core/run/program_impl.h"

void gb_program_set_first_row(gb_program *program, uint64_t row)
{
    if (program)
        program->goal.rows.first = row;
}
