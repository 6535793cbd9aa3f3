/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remarks on nodes, for code that records more from what is recorded. They are no part of the graph. */
#ifndef GREBE_CORE_TAPE_REMARK_IMPL_H
#define GREBE_CORE_TAPE_REMARK_IMPL_H

#include "core/tape.h"

typedef struct gb_remark {
    const struct gb_remark *before;
    gb_node node;
    const void *words; /* memory of the tape (gb_tape_keep) */
} gb_remark;

void gb_remark_on(gb_node node, const void *words);

/* Returns the latest remark of the node's tape; NULL: none. */
const gb_remark *gb_remarks(gb_node node);

#endif
