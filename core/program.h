/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs: the part of a tape that some roots need, with its assigns, planned once and run many times. A tape has
 * as many programs as one likes over the same variables: train, evaluate, predict. */
#ifndef GREBE_CORE_PROGRAM_H
#define GREBE_CORE_PROGRAM_H

#include "assign.h"

GB_BEGIN_DECLS

typedef struct gb_program gb_program;

/* A list of nodes: gb_roots(loss, f). From C++ call gb_roots_of. It points to the nodes, which must stay. */
typedef struct gb_node_list {
    size_t count;
    const gb_node *node;
} gb_node_list;
#define gb_roots(...)                                                                                        \
    ((gb_node_list){.count = sizeof((const gb_node[]){__VA_ARGS__}) / sizeof(gb_node),                       \
                    .node = (const gb_node[]){__VA_ARGS__}})
GB_API gb_node_list gb_roots_of(size_t count, const gb_node *nodes);

/* Plans nothing yet, but checks all: roots that can be read after a run, assigns of one value to each variable.
 * The tape owns the program. NULL on error. */
GB_API gb_program *gb_compile(gb_tape *tape, gb_node_list roots, gb_updates updates);

/* Ends one program before its tape. NULL is fine. */
GB_API void gb_program_free(gb_program *program);

/* How many samples the next runs draw. Planned again for each new number, once. */
GB_API gb_status gb_program_set_samples(gb_program *program, int64_t samples);

/* The step decides the noise of a run: a program starts at 0 and each run that ends well adds one. Setting it
 * repeats a run. Programs that assign and programs that only look draw from different halves of each stream, so
 * an evaluation never uses a training draw again. */
GB_API gb_status gb_program_set_step(gb_program *program, uint64_t step);
GB_API uint64_t gb_program_step(const gb_program *program);

/* The tape that owns it; NULL for NULL. */
GB_API gb_tape *gb_program_tape(const gb_program *program);

/* What it computes, as one number: operations, shapes, hidden axes, noise streams, names of variables and inputs, and how
 * all hang together, from the leaves to the assigns, or to the roots of a program that assigns nothing; not the values of
 * constants (but a 0 or 1 that makes an operation vanish), nor sizes of axes. So what is looked at in a training can change. The same program
 * recorded by another process has the same one; that of another release of grebe may differ. */
GB_API gb_status gb_program_fingerprint(gb_program *program, uint64_t *fingerprint);

/* Runs once, as a transaction. All right-hand sides read old values; then all variables change together, or none
 * does. A value that is not finite and reaches an assign, or a NaN or +inf that reaches a root of a program with
 * assigns, stops the run with GB_ENONFINITE and the name of the first operation that made it; −inf may pass
 * through a root; roots of a run that was stopped cannot be read. Allocates nothing after the first run with the same numbers of samples and rows. */
GB_API gb_status gb_run(gb_program *program);

/* Compiles, plans and allocates for the current sizes without running: the first gb_run is then like any other. */
GB_API gb_status gb_prepare(gb_program *program);

/* ---- reading ----
 * A variable or a constant can be read at any time, a root after a run of its program (the latest run counts).
 * Before the first run on a tape any node can be read: it is evaluated for the purpose, takes no step and leaves
 * no trace. Afterwards a node that no program kept is an error that says so. */

/* The number of elements that reading gives, hidden axes included. 0 on error. */
GB_API size_t gb_value_count(gb_node node);

/* Copies all elements as doubles (booleans as 0 and 1), hidden axes first. `count` must be gb_value_count. */
GB_API gb_status gb_read(gb_node node, double *values, size_t count);

/* Like gb_read for root number `which` of a program, but with the root's place already looked up: for callers that read
 * after every run. `values` receives as many elements as gb_value_count gives. Fails if the latest run of the program did
 * not end well, if there is no such root, and while the tape has an error. */
GB_API gb_status gb_read_root(const gb_program *program, size_t which, double *values);

/* The value of a node with one element; NaN on error (and the tape has it). */
GB_API double gb_value(gb_node node);

/* Prints name, shape and values, as NumPy would. Returns the tape's error code; a file of NULL is an error. */
GB_API gb_status gb_print(gb_node node, FILE *file);

/* ---- looking inside ---- */

typedef enum gb_dump_format { GB_DUMP_TEXT, GB_DUMP_GRAPHVIZ } gb_dump_format;

/* The tape: every node with operation, arguments, shape, hidden axes, constant value, and which operation each
 * adjoint came from. GB_EARGUMENT for a file of NULL. */
GB_API gb_status gb_tape_dump(const gb_tape *tape, gb_dump_format format, FILE *file);

/* The plan of a program for its current sizes: instructions, fused groups, buffers, and values after a run. A file of
 * NULL is an error. */
GB_API gb_status gb_program_dump(gb_program *program, gb_dump_format format, FILE *file);

/* What the plan came to. */
typedef struct gb_plan_facts {
    size_t nodes;        /* executed operations, after dead code, common subexpressions and identities */
    size_t groups;       /* fused groups of more than one operation */
    size_t instructions; /* kernel calls in one run, loops over blocks counted once */
    size_t bytes;        /* memory of the plan: values and scratch, without the variables */
} gb_plan_facts;
GB_API gb_status gb_program_plan(gb_program *program, gb_plan_facts *facts);

GB_END_DECLS
#endif
