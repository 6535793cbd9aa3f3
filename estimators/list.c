/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/list.h"

#include <string.h>

#define GB_TYPE_ADDRESS(name) &gb_##name##_type,
static const gb_estimator_type *const types[] = {GB_ESTIMATOR_LIST(GB_TYPE_ADDRESS)};

const gb_estimator_type *const *gb_estimators(size_t *count)
{
    if (count)
        *count = sizeof types / sizeof *types;
    return types;
}

const gb_estimator_type *gb_estimator_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}

#define GB_BASELINE_ADDRESS(name) &gb_##name##_baseline_type,
static const gb_baseline_type *const baselines[] = {GB_BASELINE_LIST(GB_BASELINE_ADDRESS)};

const gb_baseline_type *const *gb_baselines(size_t *count)
{
    if (count)
        *count = sizeof baselines / sizeof *baselines;
    return baselines;
}

const gb_baseline_type *gb_baseline_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof baselines / sizeof *baselines; i++)
        if (strcmp(baselines[i]->name, name) == 0)
            return baselines[i];
    return NULL;
}
