/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "distributions/transforms.h"

#define GB_TYPE_ADDRESS(name, parameters) &gb_##name##_transform_type,
static const gb_transform_type *const types[] = {GB_TRANSFORM_LIST(GB_TYPE_ADDRESS)};

const gb_transform_type *const *gb_transforms(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_transform_type *gb_transform_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
