/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of an operation, whichever it is: of grebe, or your own. Random instances of it are made, from its
 * `domain` or its `example` (core/op.h), with arguments that carry hidden axes in every combination, empty axes and axes
 * of one place among them. Of each operation is checked what applies:
 *
 *   its struct      is complete, and it can be tested: there is a domain or an example
 *   shape           that its arguments call for; the hidden axes of its arguments
 *   kernels         write all of their value, nothing else, and the same again
 *   gradient        ∂T/∂x, where T = Σ v · op(x), is that of differences of T, to 1e-7; x and v are variables
 *   second          so is that of D = Σ u · ∂T/∂x for a random u, to 1e-5
 *   refusals        a gradient that it has not, arguments of a wrong type, inert ones: by its name
 *   float           T and D on a float tape are those on a double tape, but for rounding
 *   hidden axes     the value at one place is that of the arguments at that place
 *   the same bits   alone and fused with others; with one thread and with several
 *   NaN             in an argument of an elementwise operation with a domain: in the value, there and only there
 *   memory          when it runs out, the tape says so, is usable again, and all is given back
 *
 * Of operations whose value is random, gradients are those at fixed noise; values are not compared. An `example` that
 * asks for an axis may mix the places of that one. It may do more than record the operation; and where memory ran out,
 * it is given inert arguments, and passes them on. */
#ifndef GREBE_KIT_CHECK_OP_H
#define GREBE_KIT_CHECK_OP_H

#include "../core/op.h"
#include "../core/options.h"
#include "report.h"

GB_BEGIN_DECLS

typedef struct gb_check_op_options {
    size_t size;
    gb_report *report; /* OPTIONAL: where the findings go, one for each line of the list above that applies */
    uint64_t seed;     /* other instances */
    unsigned cases;    /* 0: 512, which are all combinations of hidden axes of three arguments */
    gb_memory memory;  /* {0}: malloc */
    bool nan_may_vanish; /* a choice, say: NaN in what is not chosen does not matter */
} gb_check_op_options;

/* gb_check_op(&op), gb_check_op(&op, .report = &report, .cases = 64). True if nothing failed. */
#define gb_check_op(...) GB_CALL_1(gb_check_op, __VA_ARGS__, .size = sizeof(gb_check_op_options))
GB_API bool gb_check_op_with(const gb_op *op, const gb_check_op_options *options);

GB_END_DECLS
#endif
