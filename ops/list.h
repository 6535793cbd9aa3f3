/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of grebe's operations, for lookup by name, listings and conformance tests. */
#ifndef GREBE_OPS_LIST_H
#define GREBE_OPS_LIST_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Returns all operations and stores their number in `count`. The list is constant. */
GB_API const gb_op *const *gb_ops(size_t *count);

/* Returns the operation of that name, NULL if there is none. */
GB_API const gb_op *gb_op_find(const char *name);

/* Returns whether the node was recorded by grebe's operation of that name. An operation from elsewhere is
 * another one, even if it has the same name. Leaves ("variable", "constant") are only made by the core. */
GB_API bool gb_node_is(gb_node node, const char *name);

GB_END_DECLS
#endif
