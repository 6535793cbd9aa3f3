/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random cases of one operation, whichever it is: arguments are drawn, the operation is recorded (by its `domain` or
 * its `example`), and its derivatives are compared with differences. Nothing here knows an operation by name. */
#ifndef GREBE_TESTS_OP_CASE_H
#define GREBE_TESTS_OP_CASE_H

#include "core/op.h"
#include "core/program.h"

/* As many cases as it takes to try every combination of hidden axes on the first three arguments. */
enum { OP_CASES = 512, OP_CASE_TEXT = 800 };

/* Case `number` of `op`, on a double tape and a float tape:
 *
 *   T  = Σ v · op(x), over everything, where the x and v are variables with hidden axes of their own
 *   D  = Σ u · gb_grad(T), for a fixed random u
 *   dT along a random w must be Σ w · gb_grad(T), dD along w must be Σ w · gb_grad(D),
 *   and T and D of the float tape those of the double tape.
 *
 * False: `why` says what is wrong. */
bool op_case_passes(const gb_op *op, unsigned number, char why[OP_CASE_TEXT]);

/* True where the kit can make cases of the operation: it has a domain, or an example. */
bool op_case_possible(const gb_op *op);

#endif
