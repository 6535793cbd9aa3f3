/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walking a graph back from a node, for what has to know what something depends on. */
#ifndef GREBE_ESTIMATORS_VISIT_H
#define GREBE_ESTIMATORS_VISIT_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* What is called for each node. True: go on to its arguments. */
typedef bool gb_visitor(void *context, gb_node node);

/* Calls `visitor` once for `from` and for each node that it leads on to, the latest recorded first: a node
 * comes before its arguments. All arguments count, those of stopped and injected gradients too. Takes time in
 * proportion to the recording. Returns the tape's error code. */
GB_API gb_status gb_visit(gb_node from, gb_visitor *visitor, void *context);

/* The variables that `node` depends on, by value and not through gb_stop, in the order they were made. Writes
 * at most `most` of them, and returns how many there are. */
GB_API size_t gb_node_variables(gb_node node, gb_node *variables, size_t most);

GB_END_DECLS
#endif
