/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every operation of grebe, for lookup by name, listings, and the conformance tests. */
#ifndef GREBE_OPS_LIST_H
#define GREBE_OPS_LIST_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* All operations; `count` receives how many. The list and what it points to are constants. */
GB_API const gb_op *const *gb_ops(size_t *count);

/* The operation of that name, NULL if there is none. */
GB_API const gb_op *gb_op_find(const char *name);

GB_END_DECLS
#endif
