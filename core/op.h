/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations. An operation is a const struct. grebe's own are in ops/; one of yours is a file compiled
 * against the installed headers (docs/add-an-op.md builds one). */
#ifndef GREBE_CORE_OP_H
#define GREBE_CORE_OP_H

#include "kernel.h"
#include "tape.h"

GB_BEGIN_DECLS

/* How the engine evaluates an operation. */
typedef enum gb_form {
    /* Constants, variables, inputs. Only the engine defines these. */
    GB_FORM_LEAF,
    /* The value is that of the first argument; only the derivative differs. Costs nothing. */
    GB_FORM_ALIAS,
    /* The elements are elements of the argument, found by strides. Costs a load where it is used. */
    GB_FORM_VIEW,
    /* Element by element, with broadcasting; fused with its neighbours. */
    GB_FORM_ELEMENTWISE,
    /* A sum or maximum over axes; fused with its argument. */
    GB_FORM_REDUCE,
    /* Draws, element by element, with up to three real arguments that broadcast; fused with its neighbours.
     * The attributes begin with the key of the draws. */
    GB_FORM_NOISE,
    /* A function over whole arrays. */
    GB_FORM_KERNEL,
    /* Recorded as other operations. It is in the list so that it can be found and tested. */
    GB_FORM_COMPOSITE
} gb_form;

/* The type of values that an argument must have. */
typedef enum gb_takes {
    /* Reals; for an alias or a view, which compute nothing, any type. */
    GB_TAKES_USUAL,
    GB_TAKES_REALS,
    GB_TAKES_INTEGERS,
    GB_TAKES_BOOLEANS,
    GB_TAKES_ANY
} gb_takes;

/* The arguments of `infer`, and its results. */
typedef struct gb_infer {
    gb_tape *tape;
    const gb_op *op;
    const void *attributes;
    size_t count;
    const gb_node *arg;
    const gb_shape *arg_shape;
    const gb_type *arg_type;
    /* Results. Before the call: no shape, GB_TYPE_REAL, and the union of the arguments' hidden axes. */
    gb_shape shape;
    gb_type type;
    gb_axes axes;
} gb_infer;

/* Records the error "OP: …", where OP is the operation's name. Always returns false. */
GB_API bool gb_infer_fail(const gb_infer *infer, gb_status code, const char *format, ...) GB_PRINTF(3, 4);

/* An `infer`: the result has the shape, type and hidden axes of the first argument. */
GB_API bool gb_infer_first(gb_infer *infer);

/* Broadcasts the shapes of all arguments, of any type, to infer->shape. Fails if they do not broadcast. */
GB_API bool gb_infer_broadcast(gb_infer *infer);

/* The arguments of `vjp`, for y = op(arg). `gradient` is the adjoint of y, with the shape and all hidden axes
 * of y. Where wanted[i], `vjp` sets adjoint[i] to a node that broadcasts with arg[i]. The engine sums an
 * adjoint that is larger than its argument. An adjoint left inert counts as 0. */
typedef struct gb_vjp {
    gb_tape *tape;
    const gb_op *op;
    const void *attributes;
    gb_node value;    /* y */
    gb_node gradient; /* the adjoint of y */
    size_t count;
    const gb_node *arg;
    const bool *wanted;
    gb_node *adjoint;
} gb_vjp;

/* Helps an operation's `example` to record a random instance for gb_check_op (kit/check_op.h). The example
 * asks for arguments and sizes; the kit chooses values, hidden axes and sizes. */
typedef struct gb_example gb_example;
typedef gb_shape gb_example_shape(gb_example *example, int min_rank, int max_rank, int64_t low, int64_t high);
struct gb_example {
    gb_tape *tape;
    /* Returns a real argument with elements in [low, high]. */
    gb_node (*real)(gb_example *example, gb_shape shape, double low, double high);
    /* Returns a constant argument of integers from low to high, both included. */
    gb_node (*ints)(gb_example *example, gb_shape shape, int64_t low, int64_t high);
    /* Returns a boolean argument. */
    gb_node (*truth)(gb_example *example, gb_shape shape);
    /* Returns a number from low to high, both included. Sizes 0 and 1 occur if they are in that range. */
    int64_t (*integer)(gb_example *example, int64_t low, int64_t high);
    /* Returns a hidden axis of at least two places, for operations over a hidden axis. */
    gb_axes (*axis)(gb_example *example);
    /* Returns a shape with a rank from min_rank to max_rank and sizes from low to high. */
    gb_example_shape *shape;
};

/* The attributes of every GB_FORM_REDUCE operation: the axes to reduce, which must be neighbours in
 * memory. */
typedef struct gb_reduce_over {
    gb_axes hidden;
    uint32_t visible; /* bit i: axis i of the shape */
} gb_reduce_over;

/* The library's own vector kernels, and its pairs of operations that one kernel evaluates at once. */
struct gb_block_kernels;
struct gb_pair;

/* An operation: its value, its derivative, and what plans may do with it. */
struct gb_op {
    size_t size;         /* REQUIRED: sizeof(gb_op) */
    const char *name;    /* REQUIRED */
    const char *formula; /* REQUIRED: the formula, one line of text */
    gb_form form;        /* REQUIRED */
    size_t arguments;    /* the number of them; ignored if `variadic` */
    bool variadic;
    /* OPTIONAL. The types of the first argument, the second, and all others. An argument of another type is
     * an error, and `infer` is not called. */
    gb_takes takes[3];

    /* OPTIONAL: the least number of bytes of attributes. The members of a team (core/team.h) compare those of
     * views, reductions, noise and kernels without a body, which therefore have no pointers in them. */
    size_t attribute_bytes;

    /* OPTIONAL. Checks the arguments and finds shape, type and hidden axes. NULL: the result is real and has
     * the broadcast shape of the arguments; an alias is like its first argument. An alias may have another
     * shape with as many elements, or more hidden axes, but not both. */
    bool (*infer)(gb_infer *infer);
    /* OPTIONAL. Records the adjoints, made of operations. NULL: the operation has no derivative, and a
     * gradient through it is an error that names it. If the result is not real, there is no error and no
     * gradient. */
    void (*vjp)(const gb_vjp *vjp);
    /* OPTIONAL. True: the derivative has no derivative, and a second gradient is an error that names the
     * operation. */
    bool once_differentiable;
    /* OPTIONAL. Returns the sum of several adjoints of one node that this operation made. If it returns an
     * inert node, they are added one by one. It makes the gradient of 10,000 slices of one vector linear in
     * their number. */
    gb_node (*sum_of)(gb_tape *tape, size_t count, const gb_node *adjoints);
    /* OPTIONAL. Returns the index of an argument that the value is known to equal at recording, as in x · 1;
     * −1 if none. */
    int (*same_as)(size_t count, const gb_node *arg, const void *attributes);
    bool commutes; /* a op b equals b op a, to the last bit */
    bool jumps;    /* the value is real and piecewise constant: a floor, a sign */
    bool cheap;    /* evaluating again costs less than storing the value */
    /* The value is a draw. The gradient of a node that depends on it is an error, until an expectation closes
     * the draw. */
    bool opens;
    bool closes; /* the value is an expectation, which closes the draws in its arguments */
    /* OPTIONAL, for elementwise operations whose value is the first argument, or NaN where that is rejected.
     * Every run checks the value and fails where it is NaN. `rejection` writes the message for the first such
     * argument. */
    void (*rejection)(const void *attributes, double argument, char *text, size_t bytes);

    /* GB_FORM_ELEMENTWISE: one of `blocks` and `lane` is REQUIRED. `lane` is for operations without vector
     * kernels; it takes up to three reals. It is also called on the padding of a block, which holds arbitrary
     * numbers, and must accept any of them. */
    const struct gb_block_kernels *blocks;
    double (*lane)(double x, double y, double z);
    const struct gb_pair *pairs; /* OPTIONAL: a table of the pairs that begin with this operation */
    /* GB_FORM_REDUCE: REQUIRED, with gb_reduce_over as attributes. */
    gb_reduction reduction;
    /* GB_FORM_VIEW: REQUIRED. Changes `result`, which begins as a copy of the argument's layout, to the
     * layout of the result. Returns false if these numbers of samples and rows do not fit. */
    bool (*view)(const void *attributes, const gb_layout *arg, gb_layout *result);
    /* GB_FORM_KERNEL: `run` is REQUIRED. `workspace` (OPTIONAL) returns the number of bytes that `run` needs
     * for the sizes in `call`, whose pointers are NULL then. `prepare` (OPTIONAL) fills these bytes, once for
     * each plan; on failure it records the error on `tape` and returns false. */
    void (*run)(const gb_kernel_call *call);
    size_t (*workspace)(const gb_kernel_call *call);
    bool (*prepare)(gb_tape *tape, const gb_kernel_call *call);

    /* OPTIONAL, for gb_check_op, which cannot check an operation without it. Elementwise operations give the
     * interval of each argument, low < high. Others, and composites, give `example`, which records a random
     * instance. */
    struct {
        double low, high;
    } domain[3];
    gb_node (*example)(gb_example *example);
    /* OPTIONAL, for GB_FORM_KERNEL with a workspace: returns the body that `run` evaluates by
     * gb_kernel_call_run, for these arguments. */
    const struct gb_body *(*body)(const void *attributes, size_t count, const gb_node *arg);
    /* For GB_FORM_KERNEL: where an argument has rows and the result has none, the result is a sum over rows,
     * so the members of a team may add up theirs (core/team.h). */
    bool adds_rows;
    GB_RESERVE(6);
};

/* Records `op` on `count` arguments and returns its node. The attributes are copied as plain bytes and
 * compared as such, so clear their padding first. `tape` may be NULL if there are arguments. On error the
 * result is inert. */
GB_API gb_node gb_apply(gb_tape *tape, const gb_op *op, size_t count, const gb_node *arg,
                        const void *attributes, size_t attribute_bytes);

/* The operations that gradients are made of. */
/* Σ terms, broadcast; 0 if there are none. */
GB_API gb_node gb_total(gb_tape *tape, size_t count, const gb_node *terms);
GB_API gb_node gb_broadcast_to(gb_node x, gb_shape shape);
/* x with more hidden axes, along which it is constant. */
GB_API gb_node gb_widen(gb_node x, gb_axes axes);
/* Sums x over the axes that broadcasting added or stretched, so that it has the given shape and hidden
 * axes. */
GB_API gb_node gb_sum_to(gb_node x, gb_shape shape, gb_axes axes);

/* Reduces x by `op` (a sum or a maximum) over hidden and visible axes, and removes them. x must have these
 * axes. Records one operation for each run of axes that are neighbours in memory. */
GB_API gb_node gb_reduce(const gb_op *op, gb_node x, gb_reduce_over over);
/* The `infer` of every GB_FORM_REDUCE operation. */
GB_API bool gb_infer_reduce(gb_infer *infer);
GB_API extern const gb_op gb_sum_op;
GB_API extern const gb_op gb_axis_size_op; /* its attributes: a gb_axes */
GB_API extern const gb_op gb_broadcast_op;

/* ---- bodies ----
 *
 * A body is a graph that an operation owns and evaluates in its own run, several times perhaps: the step of
 * a recursion (ops/recursion.h). It is recorded on the tape as other nodes are, between gb_tape_body_begin
 * and gb_tape_body_end. Its leaves are *given* nodes, to which the operation gives values. What depends on
 * them belongs to the body, and is rejected outside. What does not is an ordinary node: it must become a
 * given node of the body, unless it is a constant. */
typedef struct gb_body {
    size_t given_count;
    const gb_node *given;
    size_t result_count;
    const gb_node *result; /* of the body, or a constant */
    size_t carried;        /* results 0 … carried − 1 of one step are the given nodes of the next */
    const bool *moves;     /* [given_count]: other given nodes that have a value for each step */
} gb_body;

enum { GB_BODY_MOST = 8 }; /* the largest number of steps that gb_kernel_call_run makes at once */

/* Begins a body, within the one that is being recorded if there is one. Returns its number; 0 on error. */
GB_API uint32_t gb_tape_body_begin(gb_tape *tape);
/* Ends it. An error since its beginning then reads "WHERE: …". Returns false if there is one, or if the tape
 * was reset meanwhile. */
GB_API bool gb_tape_body_end(gb_tape *tape, uint32_t body, const char *where);
/* Records a leaf of the body that is being recorded. */
GB_API gb_node gb_body_leaf(gb_tape *tape, gb_shape shape, gb_type type, gb_axes axes);
/* Returns the number of the body that a node belongs to; 0 if it belongs to none, or is inert. */
GB_API uint32_t gb_node_body(gb_node node);

/* Returns the body of a node's operation; NULL if it has none, or if memory runs out, which the tape then
 * says. Given node i takes the place of argument i. */
GB_API const gb_body *gb_node_own_body(gb_node node);

/* Returns a hidden axis for steps: one for each size and each number of bodies around. No node outside the
 * operation may keep it. */
GB_API gb_axes gb_tape_step_axis(gb_tape *tape, int64_t size);
/* Returns the axes of steps within those steps: the axis itself, and those of bodies in such a body. 0: all
 * axes of steps. Fails, and returns 0, for an axis that is none of steps. */
GB_API gb_axes gb_tape_steps_within(gb_tape *tape, gb_axes axis);

/* Returns whether the node can be used. If not, its tape has the error "WHO: …". */
GB_API bool gb_node_check(gb_node node, const char *who);

/* Returns the node that was recorded at place `index`, from 0 to gb_tape_length − 1; an inert node for
 * another index. */
GB_API gb_node gb_tape_node(gb_tape *tape, size_t index);

/* Operation, attributes and arguments of a node, for `same_as`, `sum_of` and simplifications at recording. */
GB_API const gb_op *gb_node_op(gb_node node); /* NULL for an inert node */
/* Returns whether the node depends on a draw that no expectation has closed. False for an inert node. */
GB_API bool gb_is_open(gb_node node);
GB_API const void *gb_node_attributes(gb_node node);
GB_API size_t gb_node_attribute_bytes(gb_node node);
GB_API size_t gb_node_arguments(gb_node node);
GB_API gb_node gb_node_argument(gb_node node, size_t index);

GB_END_DECLS
#endif
