/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns: variable <- value, at the end of a run of the program that is compiled with them (core/program.h). */
#ifndef GREBE_CORE_ASSIGN_H
#define GREBE_CORE_ASSIGN_H

#include "tape.h"

GB_BEGIN_DECLS

/* A set of assigns: variable <- value, carried out together at the end of a run. */
typedef struct gb_updates {
    gb_tape *tape;
    const struct gb_update *last;
    size_t count;
    uint32_t generation;
} gb_updates;

/* No assigns: of a program that only looks. */
GB_API extern const gb_updates gb_no_update;

GB_API gb_updates gb_assign(gb_node variable, gb_node value);
GB_API gb_updates gb_updates_join(gb_updates a, gb_updates b);

GB_END_DECLS
#endif
