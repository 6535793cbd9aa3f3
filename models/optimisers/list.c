/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "models/optimiser.h"

#define GB_TYPE_ADDRESS(name) &gb_##name##_type,
static const gb_optimiser_type *const types[] = {GB_OPTIMISER_LIST(GB_TYPE_ADDRESS)};

const gb_optimiser_type *const *gb_optimisers(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_optimiser_type *gb_optimiser_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
