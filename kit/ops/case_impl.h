/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A random instance of an operation: its tape, its hidden axes and its arguments. */
#ifndef GREBE_KIT_OPS_CASE_IMPL_H
#define GREBE_KIT_OPS_CASE_IMPL_H

#include "core/op.h"
#include "core/program.h"
#include "kit/shell/verdicts_impl.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_OP_STATEMENTS(do_)                                                                                \
    do_(FORM,     "its struct is complete")                                                                  \
    do_(CASES,    "it has a domain or an example from which cases can be made")                              \
    do_(RECORDED, "it is recorded and run without an error")                                                 \
    do_(SHAPE,    "its value has the shape and the hidden axes that follow from its arguments")              \
    do_(WRITES,   "its kernel writes all of its value, nothing else, and the same again")                    \
    do_(FIRST,    "its gradient is that of differences")                                                     \
    do_(SECOND,   "its second gradient is that of differences")                                              \
    do_(WANTED,   "its gradient in an argument is the same, whether others are wanted or not")               \
    do_(REJECTION, "a gradient that it lacks is rejected by its name")                                       \
    do_(FLOAT,    "on a float tape value and gradient are the same but for rounding")                        \
    do_(FUSED,    "its value is the same each time, alone and fused with others, to the last bit")           \
    do_(THREADS,  "its value is the same with several threads, to the last bit")                             \
    do_(APART,    "places along hidden axes do not mix")                                                     \
    do_(NAN,      "NaN in an argument is NaN in the value, there and only there")                            \
    do_(SINGLE,   "its value and its gradient do not stand out at single numbers")                           \
    do_(MISUSE,   "arguments of a wrong type and inert ones are rejected by its name")                       \
    do_(MEMORY,   "if memory runs out, the tape reports it and can be used again")
/* clang-format on */
GB_STATEMENT_CODES(GB_OP_STATEMENTS);

typedef struct gb_op_check {
    gb_kit kit;
    const gb_op *op;
    bool nan_may_vanish;
    bool random; /* the value differs from step to step */
} gb_op_check;

/* A variable of a case, with directions u and w (kit/check_op.h), and buffers for its values in float
 * precision. */
typedef struct gb_case_variable {
    gb_node node, gradient, second; /* ∂T, ∂D */
    size_t count;
    double *value, *u, *w, *moved;
} gb_case_variable;

/* An argument as the example received it, and the state of the random numbers afterwards. */
typedef struct gb_case_argument {
    gb_node node;
    uint64_t random_after;
} gb_case_argument;

enum { GB_CASE_ARGUMENTS = 12, GB_CASE_VARIABLES = GB_CASE_ARGUMENTS + 1, GB_CASE_AXES = 3 };

typedef struct gb_op_case gb_op_case;

/* Returns what replaces an argument when the operation is recorded again. */
typedef gb_node gb_case_pass(gb_op_case *c, gb_node argument);

struct gb_op_case {
    gb_example example; /* first: the operation's example receives its address */
    gb_op_check *check;
    gb_kit *kit;
    const gb_op *op;
    unsigned number;
    bool wide; /* large enough for threads */
    uint64_t random, random_at_start;
    gb_tape *tape;
    gb_axes axis[GB_CASE_AXES]; /* samples, a site, rows */
    int64_t size[GB_CASE_AXES], place[GB_CASE_AXES];
    gb_axes other_site, mixed; /* axes that the example requested */
    bool rows_used;
    gb_case_pass *pass; /* not NULL while the operation is recorded again */
    gb_case_argument argument[GB_CASE_ARGUMENTS];
    size_t arguments; /* drawn so far */
    gb_case_variable variable[GB_CASE_VARIABLES];
    size_t variables;
    int orders;         /* of its gradients: 0, 1, 2 */
    gb_node value, own; /* what was recorded; the node of the operation itself, if there is one */
    gb_node real;       /* the value, as a real */
    gb_node rows, total, magnitude, directional;
    bool *draws; /* OPTIONAL: true while the kit itself records */
};

typedef struct gb_case_setup {
    unsigned number;
    gb_real real;
    int threads; /* 0: 1 */
    bool wide;
    gb_memory memory; /* {0}: that of the kit's options */
} gb_case_setup;

/* Begins a case: a tape with hidden axes and nothing else. gb_op_case_end frees it, with all that belongs to
 * the case. */
void gb_op_case_begin(gb_op_case *c, gb_op_check *check, gb_case_setup setup);
/* Begins the same case again, on the same tape. */
void gb_op_case_restart(gb_op_case *c);
void gb_op_case_end(gb_op_case *c);

uint64_t gb_op_case_random(gb_op_case *c);
/* Returns a variable with some of the hidden axes: those whose bits are in `set`. */
gb_node gb_op_case_variable(gb_op_case *c, gb_shape shape, unsigned set, double low, double high);

/* Checks RECORDED by the error of the tape. */
bool gb_op_case_fine(gb_op_case *c);
/* Runs the roots at step 0, so that random values are the same each time. Returns NULL on error. */
gb_program *gb_op_case_run(gb_op_case *c, size_t count, const gb_node *roots);

#endif
