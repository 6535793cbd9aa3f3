/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text forms need of packed options. */
#ifndef GREBE_PLUGINS_OPTIONS_PACK_IMPL_H
#define GREBE_PLUGINS_OPTIONS_PACK_IMPL_H

#include <string.h>

#include "plugins/plugin.h"

/* A value of any kind: gb_estimator, gb_baseline and the others are laid out alike, and begin with these. */
typedef struct gb_plugin_value {
    const gb_plugin *type;
    gb_packed options;
} gb_plugin_value;

static inline gb_plugin_value gb_plugin_value_at(const void *field)
{
    gb_plugin_value value;
    memcpy(&value, field, sizeof value);
    return value;
}

/* The table of a type, ended by {0}; an empty one where it has none. */
const gb_option *gb_options_of_type(const void *type);

/* How many bytes a field takes. */
size_t gb_option_bytes(const gb_option *option);

#endif
