/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a scan is recorded.
 *
 * The user's function is called once. What it records is split:
 *
 *     before   what does not depend on the state. It is recorded again with a hidden axis of steps, and so
 *              computed for all steps at once, by vectors.
 *     core     what leads from a state to the next. Only this is evaluated step by step, by the operation
 *              scan, which keeps all states.
 *     after    what else the outputs need. It is recorded again with the axis of steps, on the states.
 *
 * A state whose next value depends on no state, such as the datum before, is known without the scan: it is
 * that value, one step later. It belongs to what is computed before.
 *
 * What depends on nothing of the step is an ordinary node, computed once. The gradient of a scan is a scan in
 * the other direction, whose step is the derivative of the core. It is split in the same way: in most models
 * a product and a sum remain in its core. */
#ifndef GREBE_OPS_RECURSION_RECURSION_IMPL_H
#define GREBE_OPS_RECURSION_RECURSION_IMPL_H

#include "core/gradient.h"
#include "core/graph/copies_impl.h"
#include "core/op.h"

/* ---- cores ---- */

/* A core, with the hidden axes of its arguments. The arguments of a scan are the first states, then others:
 * those with the axis of steps give one value to each step. */
typedef struct gb_core {
    gb_body body;      /* given: the states, then one step of the others; results: the next states */
    uint32_t number;   /* of the body */
    uint32_t low, end; /* the range of its nodes */
    size_t states;
    gb_axes axes;              /* of each state */
    bool *all;                 /* [states]: all states are kept, not only the last */
    bool *read;                /* [states]: the core depends on it */
    struct gb_core_line *line; /* [states]: the core is a line in each, of one number; NULL: it is not */
    struct gb_core *variants;  /* the same core with other axes */
} gb_core;

/* A factor or a term of a line. */
typedef struct gb_core_operand {
    bool is_number;
    size_t argument; /* of the scan */
    double number;
} gb_core_operand;

/* s ← a s + b. A chain is a product that is 0 where s is. */
typedef struct gb_core_line {
    gb_core_operand a, b;
    bool is_chain;
} gb_core_line;

typedef struct gb_scan_attributes {
    gb_core *core;
    gb_axes time; /* the axis of steps */
    int64_t steps;
    int32_t whole; /* outputs are states too, and nothing is computed for all steps at once */
    int32_t back;
    const gb_op *const *op; /* [2]: scan, and scan_back */
} gb_scan_attributes;

/* The functions of both operations. */
bool gb_scan_infer(gb_infer *infer);
void gb_scan_vjp(const gb_vjp *v);
size_t gb_scan_workspace(const gb_kernel_call *call);
bool gb_scan_prepare(gb_tape *tape, const gb_kernel_call *call);
void gb_scan_run(const gb_kernel_call *call);
/* Computes state `which`, a line, whose places begin at element `from` of a value. */
void gb_scan_run_line(const gb_kernel_call *call, size_t which, size_t from);
const gb_body *gb_scan_body(const void *attributes, size_t count, const gb_node *arg);

/* Returns the hidden axes of the states of a scan with these arguments: all but those of its own steps and of
 * steps within them, which a step consumes. */
gb_axes gb_axes_of_states(gb_tape *tape, gb_axes time, size_t count, const gb_node *arg);

/* Returns the core for arguments with these hidden axes; NULL if there is none yet. */
gb_core *gb_core_for(const gb_scan_attributes *how, size_t count, const gb_node *arg);

/* Records a core again, with these nodes in the place of its given ones. Stores the next states. */
bool gb_core_copy(gb_tape *tape, const gb_core *core, const gb_node *given, gb_node *next);

/* Allocates a core for so many states and other arguments. NULL on error. */
gb_core *gb_core_new(gb_tape *tape, size_t states, size_t others);

/* Begins the body of a core, with given nodes like the first states, but with the core's axes, and like one
 * step of the others. */
bool gb_core_begin(gb_tape *tape, gb_core *core, gb_axes time, const gb_node *arg);
/* Ends it, with these next states. */
bool gb_core_end(gb_tape *tape, gb_core *core, const gb_node *next);

/* ---- the states of a step ---- */

typedef struct gb_states {
    gb_node value; /* of the scan, if it has states */
    const gb_scan_attributes *how;
    gb_axes time;
    int64_t steps;
    bool back;
    const gb_node *known; /* those of which the scan knows nothing: all places, with that axis first */
    const size_t *place;  /* of the others, in the scan; NULL: all are there, in this order */
} gb_states;

gb_states gb_states_of(gb_node scan);
/* The states that the steps begin with, and end with, with the axis of steps; the one before the first step,
 * and the one after the last. */
gb_node gb_states_before(const gb_states *states, size_t which);
gb_node gb_states_after(const gb_states *states, size_t which);
gb_node gb_states_first(const gb_states *states, size_t which);
gb_node gb_states_last(const gb_states *states, size_t which);

/* ---- steps ---- */

/* A recorded step. */
typedef struct gb_step {
    gb_tape *tape;
    uint32_t body, low; /* of what was recorded, the first node */
    gb_axes time;
    int64_t steps;
    bool back, whole;
    const gb_op *const *op; /* [2] */
    size_t states;
    const gb_node *start, *state;
    gb_node *next, *same; /* same: another node with the same value; inert: there is none */
    const bool *all;      /* NULL: of all */
    size_t inputs;
    const gb_node *stream, *input; /* for all steps, and in the step */
    size_t outputs;
    const gb_node *output;
    gb_node *stacked; /* outputs for all steps, with the axis of steps */
} gb_step;

/* A node as a s + b. */
typedef struct gb_line {
    gb_node a, b; /* inert: 1, and 0 */
    bool is_chain;
} gb_line;

/* Returns whether a node is written as a line in this state. */
bool gb_line_read(gb_node node, gb_node state, gb_line *line);

/* Records the next states as lines, where each is one in its own state, or known without the scan. Called
 * while the step is recorded; not for `whole` ones. */
void gb_step_write_as_lines(gb_step *step);

/* Splits the step and records the scan. Stores the outputs, and the states. Returns false on error. */
bool gb_step_split(const gb_step *step, gb_states *states);

#endif
