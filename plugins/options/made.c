/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plugins/options/made_impl.h"

bool gb_plugin_made(gb_tape *tape, gb_node made, const char *who, const char *plugin, const char *function)
{
    if (!gb_node_ok(made))
        gb_fail(tape, GB_ENODE, "%s: %s of %s returned no node", who, function, plugin);
    return gb_node_ok(made);
}
