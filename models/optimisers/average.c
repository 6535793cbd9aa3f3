/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running means of iterates, in one variable for each. */
#include "models/optimisers/average_impl.h"

#include <stdio.h>

#include "estimators/visit.h"
#include "models/family.h"
#include "ops/elementwise.h"

enum { NAME = 256 };

/* Returns whether the name fits. If not, no such variable exists. */
static bool average_name(gb_node variable, char name[NAME])
{
    return (size_t)snprintf(name, NAME, "%s.average", gb_variable_name(variable)) < NAME;
}

gb_updates gb_average_iterate(gb_node variable, gb_node next, gb_node step, double after)
{
    const gb_node average =
        gb_part_variable(variable.tape, gb_variable_name(variable), "average", gb_node_shape(variable), 0);
    const gb_node counted = gb_max(gb_shift(step, -after), gb_num(variable.tape, 1));
    return gb_assign(average, gb_add(average, gb_div(gb_sub(next, average), counted)));
}

gb_node gb_variable_average(gb_node variable)
{
    char name[NAME];
    if (!gb_node_check(variable, "average"))
        return (gb_node){0};
    if (average_name(variable, name) && gb_tape_has_variable(variable.tape, name))
        return gb_variable_named(variable.tape, name);
    gb_fail(variable.tape, GB_ENAME, "average: %s has no average: gb_minimise(…, .average = true) makes one",
            *gb_variable_name(variable) ? gb_variable_name(variable) : "a node without a name");
    return (gb_node){0};
}

static gb_updates swap(size_t count, const gb_node *variables)
{
    gb_updates all = gb_no_update;
    for (size_t i = 0; i < count; i++) {
        char name[NAME];
        if (!average_name(variables[i], name) || !gb_tape_has_variable(variables[i].tape, name))
            continue;
        const gb_node average = gb_variable_average(variables[i]);
        all = gb_updates_join(gb_assign(variables[i], average), all);
        all = gb_updates_join(gb_assign(average, variables[i]), all);
    }
    return all;
}

gb_updates gb_swap_averages(gb_node loss)
{
    gb_updates all = gb_no_update;
    if (!gb_node_check(loss, "swap averages"))
        return all;
    const gb_memory memory = gb_tape_memory(loss.tape);
    const size_t count = gb_node_variables(loss, NULL, 0);
    gb_node *const variables = gb_memory_resize(&memory, NULL, (count + 1) * sizeof *variables);
    if (!variables)
        gb_fail(loss.tape, GB_ENOMEM, "swap averages: out of memory");
    else if (gb_node_variables(loss, variables, count) == count) {
        all = swap(count, variables);
        if (all.count == 0)
            gb_fail(
                loss.tape, GB_ENAME,
                "swap averages: no variable of the loss has one: gb_minimise(…, .average = true) makes them");
    }
    gb_memory_release(&memory, variables);
    return gb_error(loss.tape) == GB_OK ? all : gb_no_update;
}
