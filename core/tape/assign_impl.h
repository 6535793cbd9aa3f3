/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of assigns, as a list. */
#ifndef GREBE_CORE_TAPE_ASSIGN_IMPL_H
#define GREBE_CORE_TAPE_ASSIGN_IMPL_H

#include "core/assign.h"

struct gb_update {
    const struct gb_update *before;
    gb_node variable, value;
};

/* Returns whether the assigns belong to this tape and to this recording. If not, records the error. */
bool gb_updates_fit(gb_tape *tape, gb_updates updates, const char *who);

#endif
