/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that an operation keeps its promises, one of grebe's or your own. The kit makes random instances
 * from its `domain` or its `example` (core/op.h). Their arguments carry hidden axes in every combination;
 * some axes are empty or have one place. For each operation the kit checks what applies:
 *
 *   its struct      is complete, and it can be tested: it has a domain or an example
 *   shape           follows from its arguments; it has the hidden axes of its arguments
 *   kernels         write all of their value, nothing else, not beyond their workspace, and the same again
 *   gradient        ∂T/∂x, where T = Σ v · op(x), is that of differences of T, to 1e-7; x and v are variables
 *   second          so is that of D = Σ u · ∂T/∂x for a random u, to 1e-5
 *   wanted          the gradient in some arguments is the same, whether others are constant or not
 *   rejections      name the operation: of a gradient that it lacks, of a wrong type, of inert arguments
 *   float           T and D on a float tape are those on a double tape, but for rounding
 *   hidden axes     the value at one place is that of the arguments at that place
 *   the same bits   alone and fused with others; with one thread and with several; with 0, 1 and −1 as
 *                   constants and as variables; in the other order, if it commutes
 *   NaN             in an argument of an elementwise operation with a domain is NaN in the value, only there;
 *                   exactly at 0, ±½, ±1 and ±2, inside the domain, value and gradient are numbers
 *   single numbers  there, unless it jumps, value and gradient lie among those beside them, or near to them
 *   jumps           a value that varies, although its gradient is 0 everywhere, is declared to jump
 *   memory          when it runs out, the tape reports it, is usable again, and all memory is released
 *
 * If the value of an operation is random, gradients are compared at fixed noise, and values are not compared.
 * An `example` that asks for an axis may mix the places of that axis. It may record more than the operation.
 * When memory runs out it receives inert arguments, and must pass them on. */
#ifndef GREBE_KIT_CHECK_OP_H
#define GREBE_KIT_CHECK_OP_H

#include "../core/op.h"
#include "../core/options.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_op_options {
    size_t size;
    gb_report *report;   /* OPTIONAL: receives the findings, one for each line above that applies */
    uint64_t seed;       /* changes the instances */
    unsigned cases;      /* 0: 512, which are all combinations of hidden axes of three arguments */
    gb_memory memory;    /* {0}: malloc */
    bool nan_may_vanish; /* NaN in an argument that is not chosen does not matter (a choice, say) */
} gb_check_op_options;

/* gb_check_op(&op), gb_check_op(&op, .report = &report, .cases = 64). Returns true if no check fails. */
#define gb_check_op(...) GB_CALL_1(gb_check_op, __VA_ARGS__, .size = sizeof(gb_check_op_options))
GB_API bool gb_check_op_with(const gb_op *op, const gb_check_op_options *options);

GB_END_DECLS
#endif
