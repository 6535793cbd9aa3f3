/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All kinds of plug-ins with options in their values, and an example of each member. */
#ifndef GREBE_TESTS_PLUGINS_H
#define GREBE_TESTS_PLUGINS_H

#include "plugins/plugin.h"

enum { PLUGIN_KINDS = 8 };
extern const gb_kind *const plugin_kinds[PLUGIN_KINDS];

/* Options that the member can be made with, each number away from its default where its domain has another.
 * False: it is made of something that has no text form (a node, a distribution). */
bool plugin_example(const gb_plugin *type, gb_packed *options);

#endif
