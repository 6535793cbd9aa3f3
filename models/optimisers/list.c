/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/optimiser.h"

#define GB_TYPE_ADDRESS(name) &gb_##name##_optimiser_type,
static const gb_optimiser_type *const gb_optimiser_types[] = {GB_OPTIMISER_LIST(GB_TYPE_ADDRESS)};
static const char *const gb_optimiser_words[][2] = {{NULL}};
static const char *gb_optimiser_missing(const gb_plugin *plugin)
{
    const gb_optimiser_type *const type = (const void *)plugin;
    return type->update ? NULL : "update";
}

GB_DEFINE_KIND(gb_optimiser, gb_optimisers, "optimiser")
