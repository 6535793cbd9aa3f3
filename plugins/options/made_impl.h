/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_PLUGINS_OPTIONS_MADE_IMPL_H
#define GREBE_PLUGINS_OPTIONS_MADE_IMPL_H

#include "core/tape.h"

/* Returns whether a function of a plug-in has made a node. If it has not, and has recorded no error itself,
 * the tape gets one, "WHO: FUNCTION of PLUGIN returned no node": without it, what should be there would be
 * left out in silence. */
bool gb_plugin_made(gb_tape *tape, gb_node made, const char *who, const char *plugin, const char *function);

#endif
