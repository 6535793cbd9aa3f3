/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording nodes again, one by one, with other nodes in the place of some. Who copies says which. */
#ifndef GREBE_CORE_GRAPH_COPIES_IMPL_H
#define GREBE_CORE_GRAPH_COPIES_IMPL_H

#include "core/op.h"

typedef struct gb_copies {
    gb_tape *tape;
    const char *who;   /* begins messages */
    uint32_t low, end; /* the range of the originals' ids */
    uint32_t *of;      /* [end − low]: 1 + the id of the copy; 0: the node itself */
    size_t others;     /* the same for nodes outside that range */
    const gb_node *other, *other_copy;
    gb_axes drawn_over; /* draws get these hidden axes too, by `draw` */
    gb_node (*draw)(const struct gb_copies *copies, gb_node node, const gb_node *arg); /* NULL: as others */
    gb_node *arg; /* room for the arguments of a node */
    size_t room;
} gb_copies;

/* Begins with no copies of the nodes low … end − 1. Returns false if memory runs out. */
bool gb_copies_begin(gb_copies *copies, gb_tape *tape, const char *who, uint32_t low, uint32_t end);
void gb_copies_end(gb_copies *copies);
/* Makes `copy` the copy of a node in the range. */
void gb_copies_put(gb_copies *copies, gb_node node, gb_node copy);
/* Returns the copy of a node, or the node itself if it has none. */
gb_node gb_copy_of(const gb_copies *copies, gb_node node);
/* Records a node in the range again, on the copies of its arguments, with its name. A reduction over a hidden
 * axis that the copy lacks counts it once for each place. Returns false on error. */
bool gb_copy(gb_copies *copies, gb_node node);

#endif
