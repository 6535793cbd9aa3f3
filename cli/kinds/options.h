/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all plug-ins have in a listing: formula, source, options. */
#ifndef GREBE_CLI_KINDS_OPTIONS_H
#define GREBE_CLI_KINDS_OPTIONS_H

#include "cli/kinds/listing.h"
#include "plugins/plugin.h"

/* `type` is a type struct of any kind. */
void gb_cli_plugin(gb_cli_listing *listing, const void *type);

/* The text to check a plug-in by: of a name among `examples`, {name, text} and ended by {NULL}, what stands beside it. */
const char *gb_cli_example(const char *const (*examples)[2], const char *text);

/* For a gb_cli_kind with a text form, PREFIX gb_estimator and PLURAL gb_estimators: count_PREFIX and name_of_PREFIX;
 * parse_PREFIX, which says what is wrong; is_PREFIX, whether the text is read; list_PREFIX. `examples` are the texts to check
 * those by that cannot do with their name alone. */
#define GB_CLI_PLUGINS(prefix, plural, examples)                                                             \
    GB_CLI_NAMES_OF(prefix, plural)                                                                          \
    static void list_##prefix(gb_cli_listing *l, size_t i)                                                   \
    {                                                                                                        \
        gb_cli_plugin(l, plural(NULL)[i]);                                                                   \
    }                                                                                                        \
    static bool parse_##prefix(const char *text, prefix *value)                                              \
    {                                                                                                        \
        char error[256];                                                                                     \
        return prefix##_parse(gb_cli_example(examples, text), value, error, sizeof error) ||                 \
               gb_cli_refuse("%s", error);                                                                   \
    }                                                                                                        \
    static bool is_##prefix(const char *text)                                                                \
    {                                                                                                        \
        prefix value;                                                                                        \
        return parse_##prefix(text, &value);                                                                 \
    }

#endif
