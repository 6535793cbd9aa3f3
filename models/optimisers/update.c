/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state that an optimiser keeps for a variable. */
#include "models/update.h"

#include "models/families/name_impl.h"
#include "models/family.h"

const gb_domain gb_decay_domain = {.size = sizeof(gb_domain),
                                   .name = "decay",
                                   .must_be = "from 0 to below 1",
                                   .low = 0,
                                   .high = 1,
                                   .below = true};

gb_node gb_update_memory_of(const gb_update_step *to, const char *part, gb_shape shape)
{
    char name[GB_PART_NAME];
    const bool fits = gb_joined_name(to->variable.tape, to->type->name, ".", part, name);
    return fits ? gb_part_variable(to->variable.tape, to->name, name, shape, 0) : (gb_node){0};
}

gb_node gb_update_memory(const gb_update_step *to, const char *part)
{
    return gb_update_memory_of(to, part, gb_node_shape(to->variable));
}

gb_node gb_update_remember(const gb_update_step *to, gb_node memory, gb_node value)
{
    *to->assigns = gb_updates_join(gb_assign(memory, value), *to->assigns);
    return value;
}
