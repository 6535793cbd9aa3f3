/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/list.h"

#include <string.h>

#include "ops/list_table.h"

#define GB_DECLARE_OP(name) extern const gb_op gb_##name##_op;
GB_OP_LIST(GB_DECLARE_OP)

#define GB_OP_ADDRESS(name) &gb_##name##_op,
static const gb_op *const ops[] = {GB_CORE_OP_LIST(GB_OP_ADDRESS) GB_OP_LIST(GB_OP_ADDRESS)};

const gb_op *const *gb_ops(size_t *count)
{
    if (count)
        *count = sizeof ops / sizeof *ops;
    return ops;
}

const gb_op *gb_op_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i]->name, name) == 0)
            return ops[i];
    return NULL;
}

bool gb_node_is(gb_node node, const char *name)
{
    const gb_op *const op = gb_node_op(node);
    return op && name && strcmp(op->name, name) == 0 && (op->form == GB_FORM_LEAF || op == gb_op_find(name));
}
