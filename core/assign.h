/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns: a variable takes a new value at the end of a run. gb_compile (core/program.h) takes a set of
 * them. */
#ifndef GREBE_CORE_ASSIGN_H
#define GREBE_CORE_ASSIGN_H

#include "tape.h"

GB_BEGIN_DECLS

/* A set of assigns. A run carries all of them out together at its end, or none. */
typedef struct gb_updates {
    gb_tape *tape;
    const struct gb_update *last;
    size_t count;
    uint32_t generation;
} gb_updates;

/* The empty set, for a program that changes no variable. */
GB_API extern const gb_updates gb_no_update;

/* Makes an update: at the end of a run the variable gets the value that the node has then. The second joins
 * two sets of updates into one. Both return an empty set on error. */
GB_API gb_updates gb_assign(gb_node variable, gb_node value);
GB_API gb_updates gb_updates_join(gb_updates a, gb_updates b);

GB_END_DECLS
#endif
