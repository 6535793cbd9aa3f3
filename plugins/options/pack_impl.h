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

/* What `used` of packed options says if they cannot be used: GB_PACK_FAULT + a gb_options_fault, or that they
 * are too many. */
enum { GB_PACK_FAULT = GB_PACKED_BYTES + 1, GB_PACK_DOES_NOT_FIT = 255 };

/* Returns the table of options of a type, ended by {0}; an empty table if it has no options. */
const gb_option *gb_options_of_type(const void *type);

/* Sets every option of the table in a struct to its default. */
void gb_options_fill(const gb_option *table, unsigned char *options);

/* Returns whether the value of an option is in its domain. If not, writes the reason, which begins with the
 * name of the plug-in. */
bool gb_option_fits(const gb_option *option, const unsigned char *field, const char *name, char *fault,
                    size_t bytes);

#endif
