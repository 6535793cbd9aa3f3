/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorded computation at other values: the same operations, with other nodes in the place of some. */
#ifndef GREBE_CORE_REPLACE_H
#define GREBE_CORE_REPLACE_H

#include "tape.h"

GB_BEGIN_DECLS

/* Stores in `replaced` what each of the `roots` nodes `root` would be if to[i] stood in the place of from[i].
 * The operations that lie between are recorded again, with their attributes and names; what depends on no
 * from[i] is shared. A root that depends on none is returned as it is. A from[i] that depends on another one
 * is replaced by to[i] all the same.
 *
 * to[i] must have the shape and the type of from[i]. Its hidden axes may differ: they are found anew. A
 * reduction over an axis that its new argument lacks counts the value once for each place.
 *
 *     gb_node w = gb_variable(t, "w", gb_shape(3), gb_fill(0)), loss = …, there;
 *     gb_replaced(1, &w, &elsewhere, 1, &loss, &there);   // the loss at another w
 *
 * Fails with GB_EARGUMENT if a draw lies between: its noise would be used twice, and what looks like a
 * function would be random. The message has the draw's name. Fails, naming the operation, if one does not
 * take its new arguments. On error all of `replaced` are inert. `replaced` may be
 * the array `root`. */
GB_API gb_status gb_replaced(size_t count, const gb_node *from, const gb_node *to, size_t roots,
                             const gb_node *root, gb_node *replaced);

GB_END_DECLS
#endif
