/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What op_case_record.c makes and op_case.c judges. */
#ifndef GREBE_TESTS_OP_CASE_IMPL_H
#define GREBE_TESTS_OP_CASE_IMPL_H

#include "support/op_case.h"

enum { VARIABLES = 10 };

/* A variable of the case. */
typedef struct op_variable {
    gb_node node, gradient, second; /* ∂T, ∂D */
    size_t count;
    double *value, *u, *w;
} op_variable;

typedef struct op_case {
    gb_example example; /* first: what the operation's example is given */
    const gb_op *op;
    unsigned number;
    uint64_t random;
    gb_tape *tape;
    gb_axes axis[3]; /* samples, a site, rows */
    int64_t size[3];
    bool rows_used;
    unsigned arguments; /* drawn so far */
    op_variable variable[VARIABLES];
    size_t variables;
    gb_node rows, total, magnitude, directional;
} op_case;

/* A tape with hidden axes of random sizes, and nothing on it; op_case_end frees it. */
void op_case_begin(op_case *c, const gb_op *op, unsigned number, gb_real real);
void op_case_end(op_case *c);
/* The operation, T, D and their gradients. */
void op_case_record(op_case *c);

#endif
