/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From nodes to the values of a plan. */
#ifndef GREBE_CORE_PLAN_NODE_IMPL_H
#define GREBE_CORE_PLAN_NODE_IMPL_H

#include "core/plan/plan_impl.h"

typedef struct gb_collector {
    gb_plan *plan;
    gb_tape *tape;
    const gb_memory *memory;
    uint32_t *value; /* [nodes of the goal]: the planned value of a node */
    uint32_t *table; /* hash of values for sharing: 1 + index */
    size_t mask;
} gb_collector;

/* Makes c->value[id], after those of the node's arguments. False: the tape has the error. */
bool gb_collect_node(gb_collector *c, uint32_t id);

/* An operation of the plan's own on one value, of the same shape. */
bool gb_collect_own(gb_collector *c, const gb_op *op, uint32_t arg, uint32_t *index);

#endif
