/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an operation is: a const struct. Those of grebe live in ops/; your own is one file compiled against the
 * installed headers (docs/add-an-op.md builds one). */
#ifndef GREBE_CORE_OP_H
#define GREBE_CORE_OP_H

#include "kernel.h"
#include "tape.h"

GB_BEGIN_DECLS

/* How an operation is carried out. */
typedef enum gb_form {
    GB_FORM_LEAF,  /* constants, variables, inputs: only the engine has these */
    GB_FORM_ALIAS, /* its value is that of its first argument; only its derivative differs. Costs nothing */
    GB_FORM_VIEW, /* its elements are elements of its argument, found by strides. Costs a load where it is used */
    GB_FORM_ELEMENTWISE, /* element by element, arguments broadcast; fused with its neighbours */
    GB_FORM_REDUCE,      /* sum or maximum over axes; fused with what it reduces */
    GB_FORM_NOISE,       /* element by element from a stream, and from up to three real arguments, broadcast;
                            fused with its neighbours. Its attributes begin with the key of its draws */
    GB_FORM_KERNEL,      /* a function over whole arrays */
    GB_FORM_COMPOSITE    /* recorded as other operations; listed so that it can be found and tested */
} gb_form;

/* Which values an argument may have. */
typedef enum gb_takes {
    GB_TAKES_USUAL, /* reals; of an alias and a view, which compute nothing, any */
    GB_TAKES_REALS,
    GB_TAKES_INTEGERS,
    GB_TAKES_BOOLEANS,
    GB_TAKES_ANY
} gb_takes;

/* What `infer` is given, and fills. */
typedef struct gb_infer {
    gb_tape *tape;
    const gb_op *op;
    const void *attributes;
    size_t count;
    const gb_node *arg;
    const gb_shape *arg_shape;
    const gb_type *arg_type;
    /* out; before the call: no shape, GB_TYPE_REAL, and the union of the arguments' hidden axes */
    gb_shape shape;
    gb_type type;
    gb_axes axes;
} gb_infer;

/* Records the error "OP: …" and returns false. */
GB_API bool gb_infer_fail(const gb_infer *infer, gb_status code, const char *format, ...) GB_PRINTF(3, 4);

/* Shape, type and hidden axes of the first argument. */
GB_API bool gb_infer_first(gb_infer *infer);

/* Broadcasts the shapes of all arguments, whatever their types, to `shape`. */
GB_API bool gb_infer_broadcast(gb_infer *infer);

/* What `vjp` is given: y = op(arg), and the adjoint of y, which has the shape and all hidden axes of y. It sets adjoint[i], where wanted[i], to a node that
 * broadcasts with arg[i] (the engine sums what is too large); an adjoint left inert is zero. */
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

/* A random instance of an operation, for gb_check_op (kit/check_op.h): `example` asks for arguments and sizes, and
 * records the operation. The kit decides on values, hidden axes and sizes. */
typedef struct gb_example gb_example;
typedef gb_shape gb_example_shape(gb_example *example, int min_rank, int max_rank, int64_t low, int64_t high);
struct gb_example {
    gb_tape *tape;
    /* A real argument with elements in [low, high]. */
    gb_node (*real)(gb_example *example, gb_shape shape, double low, double high);
    /* A constant argument of integers from low to high, both included. */
    gb_node (*ints)(gb_example *example, gb_shape shape, int64_t low, int64_t high);
    /* A boolean argument. */
    gb_node (*truth)(gb_example *example, gb_shape shape);
    /* A number from low to high, both included; sizes 0 and 1 come up when asked for. */
    int64_t (*integer)(gb_example *example, int64_t low, int64_t high);
    /* A hidden axis of at least two places, for operations over one. */
    gb_axes (*axis)(gb_example *example);
    /* A shape with ranks and sizes from low to high. */
    gb_example_shape *shape;
};

typedef enum gb_reduction { GB_REDUCE_SUM, GB_REDUCE_MAX } gb_reduction;

/* The attributes of every GB_FORM_REDUCE operation: what is reduced, a run of axes that lie together in memory. */
typedef struct gb_reduce_over {
    gb_axes hidden;
    uint32_t visible; /* bit i: axis i of the shape */
} gb_reduce_over;

struct gb_block_kernels; /* the library's own vector kernels … */
struct gb_pair;          /* … and what of them are two operations at once */

struct gb_op {
    size_t size;         /* REQUIRED: sizeof(gb_op) */
    const char *name;    /* REQUIRED */
    const char *formula; /* REQUIRED: one line for a reader */
    gb_form form;        /* REQUIRED */
    size_t arguments;    /* how many; ignored if `variadic` */
    bool variadic;
    /* OPTIONAL. Of which type the first argument, the second, and all others are. Another type is an error, and
     * `infer` is not called. */
    gb_takes takes[3];

    size_t attribute_bytes; /* OPTIONAL: how many bytes of attributes it needs at least */

    /* OPTIONAL. Checks the arguments and finds shape, type and hidden axes. NULL: real, with the arguments' shapes
     * broadcast; an alias is as its first argument. An alias may have another shape with as many elements, or more
     * hidden axes, not both. */
    bool (*infer)(gb_infer *infer);
    /* OPTIONAL. Records the adjoints, built of operations. NULL: asking for the gradient is an error by name,
     * unless the result is not real (then it has none, silently). */
    void (*vjp)(const gb_vjp *vjp);
    /* OPTIONAL. The derivative has no derivative of its own: a second gradient is an error by name. */
    bool once_differentiable;
    /* OPTIONAL. What several adjoints made by this operation for one node come to (a node that is their sum, or
     * inert: they are added one by one). Makes 10,000 slices of one vector linear. */
    gb_node (*sum_of)(gb_tape *tape, size_t count, const gb_node *adjoints);
    /* OPTIONAL. The argument that the value equals, because of what is known at recording (x · 1); −1: none. */
    int (*same_as)(size_t count, const gb_node *arg, const void *attributes);
    bool commutes; /* a op b is b op a, to the last bit */
    bool jumps;    /* a real value that moves by jumps, if at all: a floor, a sign */
    bool cheap;    /* computing again costs less than keeping */
    bool opens;    /* the value is a draw: no gradient may be taken of what depends on it … */
    bool closes;   /* … until an expectation closes it */
    /* OPTIONAL, elementwise operations. Its value is its first argument, or NaN where that is refused. Every run then
     * checks the value, and fails where it is NaN, with what this writes of the first such argument. */
    void (*refusal)(const void *attributes, double argument, char *text, size_t bytes);

    /* GB_FORM_ELEMENTWISE: one of these is REQUIRED. `lane` is for what has no vector kernels, up to three reals. It
     * is called for the padding of a block too, whose numbers are any: it must take them without harm. */
    const struct gb_block_kernels *blocks;
    double (*lane)(double x, double y, double z);
    const struct gb_pair *pairs; /* OPTIONAL: a table of those that it begins */
    /* GB_FORM_REDUCE: REQUIRED, with gb_reduce_over as attributes. */
    gb_reduction reduction;
    /* GB_FORM_VIEW: REQUIRED. Turns the layout of the argument (which `result` is a copy of) into that of the result.
     * False: these numbers of samples and rows do not fit. */
    bool (*view)(const void *attributes, const gb_layout *arg, gb_layout *result);
    /* GB_FORM_KERNEL: `run` is REQUIRED. `workspace` (OPTIONAL) says how many bytes `run` needs, for the sizes in
     * `call` (pointers are NULL then); `prepare` (OPTIONAL) fills them once for each plan, and may fail on `tape`. */
    void (*run)(const gb_kernel_call *call);
    size_t (*workspace)(const gb_kernel_call *call);
    bool (*prepare)(gb_tape *tape, const gb_kernel_call *call);

    /* For gb_check_op. Elementwise operations: the interval of each argument (low < high). Others, and
     * composites: a random instance. OPTIONAL, but an operation without cannot be checked. */
    struct {
        double low, high;
    } domain[3];
    gb_node (*example)(gb_example *example);
};

/* Records `op` on `count` arguments. The attributes are copied as plain bytes (so clear padding first). `tape` is
 * needed only where there are no arguments, else NULL will do. Returns an inert node on error. */
GB_API gb_node gb_apply(gb_tape *tape, const gb_op *op, size_t count, const gb_node *arg,
                        const void *attributes, size_t attribute_bytes);

/* What the gradient itself is built of. */
GB_API gb_node gb_total(gb_tape *tape, size_t count,
                        const gb_node *terms); /* Σ terms, broadcast; 0 for none */
GB_API gb_node gb_broadcast_to(gb_node x, gb_shape shape);
GB_API gb_node gb_widen(gb_node x, gb_axes axes); /* the same for every place of more hidden axes */
GB_API gb_node gb_sum_to(gb_node x, gb_shape shape, gb_axes axes); /* sums what broadcasting had repeated */

/* Sums or maximises over axes of x, hidden and visible, and takes them away: in as few runs of neighbouring axes as
 * it takes. The axes must be there. */
GB_API gb_node gb_reduce(const gb_op *op, gb_node x, gb_reduce_over over);
GB_API bool gb_infer_reduce(gb_infer *infer); /* the `infer` of every GB_FORM_REDUCE */
GB_API extern const gb_op gb_sum_op;
GB_API extern const gb_op gb_axis_size_op; /* its attributes: a gb_axes */
GB_API extern const gb_op gb_broadcast_op;

/* True if the node can be used; else its tape has the error, as "WHO: …". */
GB_API bool gb_node_check(gb_node node, const char *who);

/* The node that was recorded at place `index`, below gb_tape_length; inert beyond. */
GB_API gb_node gb_tape_node(gb_tape *tape, size_t index);

/* A node's arguments and attributes, for `same_as`, `sum_of` and simplifications while recording. */
GB_API const gb_op *gb_node_op(gb_node node); /* NULL for an inert node */
GB_API const void *gb_node_attributes(gb_node node);
GB_API size_t gb_node_attribute_bytes(gb_node node);
GB_API size_t gb_node_arguments(gb_node node);
GB_API gb_node gb_node_argument(gb_node node, size_t index);

GB_END_DECLS
#endif
