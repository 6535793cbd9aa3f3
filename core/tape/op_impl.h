/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes and their records, for the engine. */
#ifndef GREBE_CORE_TAPE_OP_IMPL_H
#define GREBE_CORE_TAPE_OP_IMPL_H

#include "core/op.h"
#include "core/tape/tape_impl.h"

/* Returns the record of a node that gb_usable accepts. */
static inline gb_record *gb_record_of(gb_node node)
{
    return &node.tape->nodes.at[node.id];
}
static inline gb_node gb_node_at(gb_tape *tape, uint32_t id)
{
    return (gb_node){.tape = tape, .id = id, .generation = tape->generation};
}

/* Returns whether `node` can be used on `tape`. If not, records the error "WHO: …". */
bool gb_usable(gb_tape *tape, gb_node node, const char *who);
gb_node gb_inert(void);
/* Returns whether a node may be used here: it belongs to no body, or to one that is being recorded. */
bool gb_body_allows(gb_node node, const char *who);
/* Returns whether a node belongs to no body. If it does, records the error "WHO: …". */
bool gb_body_is_none(gb_node node, const char *who);

/* Writes the names of hidden axes, such as "samples, rows", to `text` and returns it. */
enum { GB_AXES_TEXT = 200 };
const char *gb_axes_text(const gb_tape *tape, gb_axes axes, char text[GB_AXES_TEXT]);

/* Returns the bit number of the lowest axis of a set. */
static inline int gb_lowest_axis(gb_axes axes)
{
    return __builtin_ctzll(axes);
}

/* The sum of terms, of which gradients are made; plans treat it specially. */
extern const gb_op gb_total_op;

#endif
