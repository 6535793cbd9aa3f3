/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of assigns, as a list. */
#ifndef GREBE_CORE_TAPE_ASSIGN_IMPL_H
#define GREBE_CORE_TAPE_ASSIGN_IMPL_H

#include "core/assign.h"

struct gb_update {
    const struct gb_update *before;
    gb_node variable, value;
};

/* Whether they are of this tape and of this recording; else the tape has the error. */
bool gb_updates_fit(gb_tape *tape, gb_updates updates, const char *who);

#endif
