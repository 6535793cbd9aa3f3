/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listing of any plug-in: formula, source, options. */
#ifndef GREBE_CLI_KINDS_OPTIONS_H
#define GREBE_CLI_KINDS_OPTIONS_H

#include "cli/kinds/listing.h"
#include "plugins/plugin.h"

/* `type` is a type struct of any kind. */
void gb_cli_plugin(gb_cli_listing *listing, const void *type);

/* The rows of a table of options or parameters, at most `most`. */
void gb_cli_options(gb_cli_listing *listing, const char *key, const gb_option *table, size_t most);

/* Returns the text by which a plug-in is checked: the second of the pair in `examples` whose first is `text`,
 * else `text`. NULL ends `examples`. */
const char *gb_cli_example(const char *const (*examples)[2], const char *text);

/* Defines functions of a gb_cli_kind with a text form, for PREFIX gb_estimator. These are list_PREFIX;
 * parse_PREFIX, which prints errors; example_PREFIX; and is_PREFIX, which returns whether a text can be
 * parsed. `examples` has texts for plug-ins that cannot be checked by name alone. */
#define GB_CLI_PLUGINS(prefix, examples)                                                                     \
    static void list_##prefix(gb_cli_listing *l, size_t i)                                                   \
    {                                                                                                        \
        gb_cli_plugin(l, gb_kind_at(&prefix##_kind, i));                                                     \
    }                                                                                                        \
    static bool parse_##prefix(const char *text, prefix *value)                                              \
    {                                                                                                        \
        char error[256];                                                                                     \
        return prefix##_parse(gb_cli_example(examples, text), value, error, sizeof error) ||                 \
               gb_cli_reject("%s", error);                                                                   \
    }                                                                                                        \
    static const char *example_##prefix(const char *text)                                                    \
    {                                                                                                        \
        return gb_cli_example(examples, text);                                                               \
    }                                                                                                        \
    static bool is_##prefix(const char *text)                                                                \
    {                                                                                                        \
        prefix value;                                                                                        \
        return parse_##prefix(text, &value);                                                                 \
    }

#endif
