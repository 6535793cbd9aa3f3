/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of operations that a plan evaluates as one instruction: see fuse_pairs in core/plan/units.c. */
#ifndef GREBE_CORE_PLAN_PAIR_IMPL_H
#define GREBE_CORE_PLAN_PAIR_IMPL_H

#include "core/op.h"

struct gb_pair {
    const gb_op *first, *second; /* first NULL: the end of the table */
    /* The index of the first among the arguments of the second. If the second commutes, either one will
     * do. */
    uint32_t place;
    const gb_op *whole; /* takes the arguments of the first, then the other one of the second */
};

#endif
