/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tape/remark_impl.h"

#include "core/tape/tape_impl.h"

void gb_remark_on(gb_node node, const void *words)
{
    gb_remark *const made = gb_tape_keep(node.tape, sizeof *made);
    if (!made)
        return;
    *made = (gb_remark){.before = node.tape->remarks, .node = node, .words = words};
    node.tape->remarks = made;
}

const gb_remark *gb_remarks(gb_node node)
{
    return node.tape ? node.tape->remarks : NULL;
}
