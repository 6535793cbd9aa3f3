/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"

#include <string.h>

#define GB_TYPE_ADDRESS(name, parameters) &gb_##name##_type,
static const gb_dist_type *const types[] = {GB_DISTRIBUTION_LIST(GB_TYPE_ADDRESS)};

const gb_dist_type *const *gb_distributions(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_dist_type *gb_distribution_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
