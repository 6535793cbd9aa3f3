/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/shell/values_impl.h"

#include <math.h>

#include "core/program.h"

double *gb_kit_read(gb_tape *tape, gb_node node, size_t *count)
{
    *count = gb_value_count(node);
    double *const values = gb_tape_keep(tape, (*count + 1) * sizeof *values);
    return values && gb_read(node, values, *count) == GB_OK ? values : NULL;
}

double *gb_kit_ask(gb_tape *tape, gb_node node, size_t *count)
{
    size_t read;
    gb_program *const program = gb_compile(tape, gb_roots(node), gb_no_update);
    double *const values = gb_run(program) == GB_OK ? gb_kit_read(tape, node, count ? count : &read) : NULL;
    gb_program_free(program);
    return values;
}

double gb_kit_number(gb_tape *tape, gb_node node)
{
    const double *const values = gb_kit_ask(tape, node, NULL);
    return values ? *values : (double)NAN;
}

int gb_kit_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
