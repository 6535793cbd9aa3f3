/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for operations: cases are made in kit/ops/case.c, judged in the other check_op_*.c. */
#ifndef GREBE_KIT_OPS_CHECK_OP_IMPL_H
#define GREBE_KIT_OPS_CHECK_OP_IMPL_H

#include "core/program.h"
#include "kit/check_op.h"
#include "kit/shell/tally_impl.h"

/* What is checked, in the order of the report. */
#define GB_OP_CHECKS(do_)                                                                                    \
    do_(FORM, "its struct is complete") do_(CASES, "it has a domain or an example to be tested with") do_(   \
        RECORDED, "it is recorded and run without an error")                                                 \
        do_(SHAPE, "its value has the shape and the hidden axes that its arguments call for") do_(           \
            WRITES, "its kernel writes all of its value, nothing else, and the same again")                  \
            do_(FIRST, "its gradient is that of differences") do_(                                           \
                SECOND, "its second gradient is that of differences")                                        \
                do_(REFUSAL, "a gradient that it has not is refused by its name") do_(                       \
                    FLOAT, "on a float tape value and gradient are the same but for rounding")               \
                    do_(APART, "places along hidden axes do not mix") do_(                                   \
                        FUSED, "its value is the same each time, alone and among others, to the last bit")   \
                        do_(THREADS, "its value is the same with several threads, to the last bit")          \
                            do_(NAN, "NaN in an argument is NaN in the value, there and only there") do_(    \
                                MISUSE, "arguments of a wrong type and inert ones are refused by its name")  \
                                do_(MEMORY, "where memory runs out the tape says so and can be used again")

typedef enum gb_op_statement {
#define GB_OP_CHECK_CODE(code, text) GB_CHECK_##code,
    GB_OP_CHECKS(GB_OP_CHECK_CODE)
#undef GB_OP_CHECK_CODE
        GB_OP_CHECK_COUNT
} gb_op_statement;

typedef struct gb_op_check {
    gb_check_op_settings with;
    const gb_op *op;
    bool random; /* the value differs from step to step */
    gb_tally tally[GB_OP_CHECK_COUNT];
} gb_op_check;

/* A variable of a case, with directions u and w (see check_op.h), and room for its values in a float's precision. */
typedef struct gb_case_variable {
    gb_node node, gradient, second; /* ∂T, ∂D */
    size_t count;
    double *value, *u, *w, *moved;
} gb_case_variable;

/* An argument as the example was given it, and where the random numbers were afterwards. */
typedef struct gb_case_argument {
    gb_node node;
    uint64_t random_after;
} gb_case_argument;

enum { GB_CASE_ARGUMENTS = 12, GB_CASE_VARIABLES = GB_CASE_ARGUMENTS + 1, GB_CASE_AXES = 3 };

typedef struct gb_op_case gb_op_case;

/* What an operation is given instead of an argument when it is recorded again. */
typedef gb_node gb_case_pass(gb_op_case *c, gb_node argument);

struct gb_op_case {
    gb_example example; /* first: what the operation's example is given */
    gb_op_check *check;
    const gb_op *op;
    unsigned number;
    bool wide; /* so large that threads are worth while */
    uint64_t random, random_at_start;
    gb_tape *tape;
    gb_axes axis[GB_CASE_AXES]; /* samples, a site, rows */
    int64_t size[GB_CASE_AXES], place[GB_CASE_AXES];
    gb_axes other_site, mixed; /* axes that the example asked for */
    bool rows_used;
    gb_case_pass *pass; /* not NULL while it is recorded again */
    gb_case_argument argument[GB_CASE_ARGUMENTS];
    size_t arguments; /* drawn so far */
    gb_case_variable variable[GB_CASE_VARIABLES];
    size_t variables;
    int orders;         /* of its gradients: 0, 1, 2 */
    gb_node value, own; /* what was recorded; the node of the operation, if it has one */
    gb_node real;       /* the value, as a real */
    gb_node rows, total, magnitude, directional;
    bool *draws; /* OPTIONAL: true while the kit itself records */
};

typedef struct gb_case_setup {
    unsigned number;
    gb_real real;
    int threads; /* 0: 1 */
    bool wide;
    gb_memory memory; /* {0}: that of the settings */
} gb_case_setup;

/* ---- cases ---- */

/* A tape with hidden axes, and nothing else on it; gb_op_case_end frees it, with all that belongs to the case. */
void gb_op_case_begin(gb_op_case *c, gb_op_check *check, gb_case_setup setup);
/* The same case from its start, on the same tape. */
void gb_op_case_restart(gb_op_case *c);
void gb_op_case_end(gb_op_case *c);

/* Arguments and the operation: `value` and `real`. False: it could not be recorded, or is not what it should be. */
bool gb_op_case_record(gb_op_case *c);
/* T, D and their gradients; gb_op_case_record comes first. */
bool gb_op_case_record_gradients(gb_op_case *c);
/* The same instance once more, each argument as `pass` makes it: its value, as a real. */
gb_node gb_op_case_again(gb_op_case *c, gb_case_pass *pass);

bool gb_op_has_domain(const gb_op *op);
bool gb_op_has_cases(const gb_op *op);

/* Runs what these roots need, at step 0: values that are random are the same each time. NULL if it failed. */
gb_program *gb_op_case_run(gb_op_case *c, size_t count, const gb_node *roots);
/* The values of a node, in memory of the tape; NULL if there are none to read. */
double *gb_op_case_read(gb_op_case *c, gb_node node, size_t *count);

/* ---- verdicts ---- */

/* Keeps what became of a statement in one case; returns `passed`. */
bool gb_op_verdict(gb_op_case *c, gb_op_statement statement, bool passed, const char *format, ...)
    GB_PRINTF(4, 5);
/* RECORDED, by the error of the tape. */
bool gb_op_case_fine(gb_op_case *c);

/* The kernel of a case that was recorded: before anything else runs. */
void gb_op_check_writes(gb_op_case *c);
void gb_op_check_derivatives(gb_op_check *check, unsigned number);
/* A case that ran: its value elsewhere and among others. */
void gb_op_check_values(gb_op_case *c);
/* True where the value of a case is random; it is unsteady, and that is found, where the same step is not the same. */
bool gb_op_case_is_random(gb_op_case *c);
void gb_op_check_threads(gb_op_check *check);
void gb_op_check_nan(gb_op_check *check);
void gb_op_check_misuse(gb_op_check *check, unsigned number);
void gb_op_check_memory(gb_op_check *check);

#endif
