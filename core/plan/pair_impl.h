/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of operations that a plan carries out as one instruction: see fuse_pairs in core/plan/units.c. */
#ifndef GREBE_CORE_PLAN_PAIR_IMPL_H
#define GREBE_CORE_PLAN_PAIR_IMPL_H

#include "core/op.h"

struct gb_pair {
    const gb_op *first, *second; /* first NULL: the end of the table */
    uint32_t place;     /* the argument of the second that the first is; either one, if it commutes */
    const gb_op *whole; /* on the arguments of the first, and the other one of the second */
};

#endif
