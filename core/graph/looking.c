/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/looking_impl.h"

#include "core/tape/remark_impl.h"

static const char looking[] = "looking";

void gb_variable_looks_on(gb_node variable)
{
    gb_remark_on(variable, looking);
}

bool gb_variable_is_looking(gb_node variable)
{
    for (const gb_remark *r = gb_remarks(variable); r; r = r->before)
        if (r->words == looking && gb_node_same(r->node, variable))
            return true;
    return false;
}
