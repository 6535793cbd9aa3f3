/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs. A program is the part of a tape that some roots need, with its assigns; it is planned once and
 * run many times. A tape may have several programs over the same variables: train, evaluate, predict. */
#ifndef GREBE_CORE_PROGRAM_H
#define GREBE_CORE_PROGRAM_H

#include "assign.h"

GB_BEGIN_DECLS

typedef struct gb_program gb_program;

/* A list of nodes: gb_roots(loss, f). C++ calls gb_roots_of. The list points to the caller's nodes and does
 * not copy them. */
typedef struct gb_node_list {
    size_t count;
    const gb_node *node;
} gb_node_list;
#define gb_roots(...)                                                                                        \
    ((gb_node_list){.count = sizeof((const gb_node[]){__VA_ARGS__}) / sizeof(gb_node),                       \
                    .node = (const gb_node[]){__VA_ARGS__}})
GB_API gb_node_list gb_roots_of(size_t count, const gb_node *nodes);

/* Compiles a program and checks it: each root must be readable after a run, and each variable is assigned at
 * most once. Planning waits for the first run. The tape owns the program. Returns NULL on error. */
GB_API gb_program *gb_compile(gb_tape *tape, gb_node_list roots, gb_updates updates);

/* Frees one program before its tape. NULL is allowed. */
GB_API void gb_program_free(gb_program *program);

/* Sets the number of samples of the next runs. The program makes one plan for each number, at the first run
 * with it. */
GB_API gb_status gb_program_set_samples(gb_program *program, int64_t samples);

/* Sets or returns the step, which decides the noise of a run. A program starts at step 0, and each successful
 * run adds 1; set the step to repeat a run. Programs with assigns and programs without draw from different
 * halves of each stream. So an evaluation never uses a training draw again. A step is below
 * 2⁶³; the run that would reach 2⁶³ fails. */
GB_API gb_status gb_program_set_step(gb_program *program, uint64_t step);
GB_API uint64_t gb_program_step(const gb_program *program);

/* Returns the tape that owns the program; NULL for NULL. */
GB_API gb_tape *gb_program_tape(const gb_program *program);

/* Stores a number that identifies what the program computes. It covers operations, shapes, hidden axes, noise
 * streams, the names of variables and inputs, and how all of these are connected. It starts from the assigns,
 * or from the roots if there are none; so other roots of a training program do not change it. It does not
 * cover the values of constants (but a 0 or 1 that removes an operation) or the sizes of axes. The same
 * program has the same number in another process, but not always in another release of grebe. */
GB_API gb_status gb_program_fingerprint(gb_program *program, uint64_t *fingerprint);

/* Runs once, as a transaction. All right-hand sides read old values. Then all variables change together
 * (the commit), or none does. Fails with GB_ENONFINITE if a value that is not finite reaches an assign, or if
 * a NaN or +∞ reaches a root of a program with assigns. The message names the first operation that made the
 * value. −∞ may pass through a root. After a failed run the roots cannot be read. Only the first run with
 * given numbers of samples and rows allocates memory. */
GB_API gb_status gb_run(gb_program *program);

/* Returns how the latest run was executed: "interpreted", "native code", or why there is no native code
 * though the tape asks for it (.native). Valid until the next run. */
GB_API const char *gb_program_native(const gb_program *program);

/* Plans and allocates for the current sizes without running. The first gb_run is then as fast as any
 * other. */
GB_API gb_status gb_prepare(gb_program *program);

/* ---- reading ----
 *
 * A variable or a constant can be read at any time. A root can be read after a run of its program; the latest
 * run counts. Before the first run on a tape any node can be read: reading then evaluates it, takes no step
 * and changes nothing. After a run it is an error to read a node that no program keeps. */

/* Returns the number of elements of a node, hidden axes included; 0 on error. */
GB_API size_t gb_value_count(gb_node node);

/* Copies all elements to `values` as doubles (booleans as 0 and 1), hidden axes first. `count` must equal
 * gb_value_count. */
GB_API gb_status gb_read(gb_node node, double *values, size_t count);

/* Like gb_read for root number `which` of a program, but with the root's place already looked up: for callers
 * that read after every run. `values` receives gb_value_count elements. Fails if the latest run of the
 * program failed, if there is no such root, and while the tape has an error. */
GB_API gb_status gb_read_root(const gb_program *program, size_t which, double *values);

/* Returns how many elements gb_read_root stores; 0 where it fails. */
GB_API size_t gb_program_root_count(const gb_program *program, size_t which);

/* Returns the value of a node with one element; NaN on error. */
GB_API double gb_value(gb_node node);

/* Prints name, shape and values in the style of NumPy. Returns the tape's error code. A NULL `file` is an
 * error. */
GB_API gb_status gb_print(gb_node node, FILE *file);

/* ---- looking inside ---- */

/* How a tape or a plan is written: for people, for Graphviz, or, a plan only, as the C that .native
 * compiles. */
typedef enum gb_dump_format { GB_DUMP_TEXT, GB_DUMP_GRAPHVIZ, GB_DUMP_C } gb_dump_format;

/* Writes every node of the tape: operation, arguments, shape, hidden axes, constant value, and for an adjoint
 * the operation that it came from. Returns GB_EARGUMENT for a NULL `file` and for
 * GB_DUMP_C. */
GB_API gb_status gb_tape_dump(const gb_tape *tape, gb_dump_format format, FILE *file);

/* Writes the plan of a program for its current sizes: instructions, fused groups, buffers, and values after a
 * run. A NULL `file` is an error. */
GB_API gb_status gb_program_dump(gb_program *program, gb_dump_format format, FILE *file);

/* The size of a plan. */
typedef struct gb_plan_facts {
    /* Operations that a run evaluates, without dead code, common subexpressions and identities. */
    size_t nodes;
    size_t groups;       /* groups of more than one fused operation */
    size_t instructions; /* kernel calls in one run; a loop over blocks counts once */
    size_t bytes;        /* memory of the plan: values and scratch, not the variables */
} gb_plan_facts;
GB_API gb_status gb_program_plan(gb_program *program, gb_plan_facts *facts);

GB_END_DECLS
#endif
