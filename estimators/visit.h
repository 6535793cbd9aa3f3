/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the graph back from a node, to find what the node depends on. */
#ifndef GREBE_ESTIMATORS_VISIT_H
#define GREBE_ESTIMATORS_VISIT_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Called for each node. Returns true to continue to the arguments of the node. */
typedef bool gb_visitor(void *user, gb_node node);

/* Calls `visitor` once for `from` and for each node reached from it. The nodes come in reverse order of
 * recording: a node comes before its arguments. All arguments are followed, also those of stopped and
 * injected gradients. The time is proportional to the number of recorded nodes. Returns the error code of the
 * tape. */
GB_API gb_status gb_visit(gb_node from, gb_visitor *visitor, void *user);

/* Returns whether `node` depends on `on`, also through gb_stop. */
GB_API bool gb_node_depends(gb_node node, gb_node on);

/* Writes the variables that `node` depends on by value and not through gb_stop, in the order of their
 * creation, at most `most`. Returns how many there are. */
GB_API size_t gb_node_variables(gb_node node, gb_node *variables, size_t most);

GB_END_DECLS
#endif
