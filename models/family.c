/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/family.h"

#include <stdio.h>
#include <string.h>

gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options, size_t bytes)
{
    gb_family family = {.type = bytes <= GB_FAMILY_OPTIONS ? type : NULL, .shape = shape};
    if (family.type && bytes > 0)
        memcpy(family.options.bytes, options, bytes);
    return family;
}

gb_node gb_part_variable(gb_tape *tape, const char *owner, const char *part, gb_shape shape, double start)
{
    char name[256];
    if ((size_t)snprintf(name, sizeof name, "%s.%s", owner, part) >= sizeof name) {
        gb_fail(tape, GB_ENAME, "variable %.40s… .%s: the name is too long", owner, part);
        return (gb_node){0};
    }
    return gb_variable(tape, name, shape, gb_fill(start));
}

static const gb_family_type *const types[] = {&gb_mean_field_type, &gb_point_type};

const gb_family_type *const *gb_families(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_family_type *gb_family_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
