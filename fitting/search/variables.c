/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/search/variables_impl.h"

#include "core/program.h"
#include "estimators/visit.h"

bool gb_variables_find(gb_variables *v, gb_node root, gb_arena *arena)
{
    *v = (gb_variables){.count = gb_node_variables(root, NULL, 0)};
    v->node = gb_arena_take(arena, (v->count + 1) * sizeof *v->node);
    if (!v->node) {
        gb_fail(root.tape, GB_ENOMEM, "fit: out of memory for %zu variables", v->count);
        return false;
    }
    gb_node_variables(root, v->node, v->count);
    for (size_t i = 0; i < v->count; i++)
        v->numbers += gb_value_count(v->node[i]);
    return gb_error(root.tape) == GB_OK;
}

void gb_variables_read(const gb_variables *v, double *x)
{
    for (size_t i = 0; i < v->count; i++) {
        const size_t count = gb_value_count(v->node[i]);
        const void *const data = gb_variable_data(v->node[i]);
        const bool is_float = gb_tape_real(v->node[i].tape) == GB_FLOAT;
        for (size_t k = 0; k < count && data; k++)
            *x++ = is_float ? (double)((const float *)data)[k] : ((const double *)data)[k];
    }
}

bool gb_variables_set(const gb_variables *v, const double *x)
{
    for (size_t i = 0; i < v->count; i++) {
        const size_t count = gb_value_count(v->node[i]);
        if (gb_set(v->node[i], gb_values_of(x, count)) != GB_OK)
            return false;
        x += count;
    }
    return true;
}
