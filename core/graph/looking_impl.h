/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CORE_GRAPH_LOOKING_IMPL_H
#define GREBE_CORE_GRAPH_LOOKING_IMPL_H

#include "core/tape.h"

/* Says that a variable belongs to what looks on while others train. Checkpoints leave it out: they are the
 * same with and without it. */
void gb_variable_looks_on(gb_node variable);
bool gb_variable_is_looking(gb_node variable);

#endif
