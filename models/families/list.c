/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "models/family.h"

#define GB_FAMILY_ADDRESS(name) &gb_##name##_family_type,
static const gb_family_type *const types[] = {GB_FAMILY_LIST(GB_FAMILY_ADDRESS)};

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
