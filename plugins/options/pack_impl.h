/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packed options, as the text forms use them. */
#ifndef GREBE_PLUGINS_OPTIONS_PACK_IMPL_H
#define GREBE_PLUGINS_OPTIONS_PACK_IMPL_H

#include <string.h>

#include "plugins/plugin.h"

/* A value of any kind: gb_estimator, gb_baseline and the others begin with these two fields. */
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

/* Returns the table of options of a type, ended by {0}; an empty table if it has no options. */
const gb_option *gb_options_of_type(const void *type);

/* Returns the size of the field in bytes. */
size_t gb_option_bytes(const gb_option *option);

#endif
