/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/transforms.h"

#define GB_TYPE_ADDRESS(name, parameters) &gb_##name##_transform_type,
static const gb_transform_type *const gb_transform_types[] = {GB_TRANSFORM_LIST(GB_TYPE_ADDRESS)};
static const char *const gb_transform_words[][2] = {{NULL}};

static const char *gb_transform_missing(const gb_plugin *plugin)
{
    const gb_transform_type *const type = (const void *)plugin;
    if (!type->from || !type->to)
        return "from or to";
    if (!type->forward || !type->inverse)
        return "forward or inverse";
    return type->log_jacobian ? NULL : "log_jacobian";
}

GB_DEFINE_KIND_OF(gb_transform, gb_transform_type, gb_transforms, "transform", .no_options = true,
                  .missing = gb_transform_missing)
