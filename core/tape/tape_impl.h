/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a tape, for the files of core/ alone. */
#ifndef GREBE_CORE_TAPE_TAPE_IMPL_H
#define GREBE_CORE_TAPE_TAPE_IMPL_H

#include "core/ground/memory_impl.h"
#include "core/kernels/block_impl.h"
#include "core/noise.h"
#include "core/op.h"
#include "core/plan/pair_impl.h"
#include "core/program.h"

/* One recorded operation. */
typedef struct gb_record {
    const gb_op *op;
    const uint32_t *arg;
    const void *attributes;
    const char *name;
    gb_shape shape;
    gb_axes axes;
    uint32_t args;
    uint32_t attribute_bytes;
    uint32_t adjoint_of; /* 1 + the node whose operation recorded this adjoint; 0: recorded by the user */
    gb_type type;
    bool open; /* depends on a draw that no expectation has closed */
} gb_record;

/* A variable. `now` is what programs read, `next` what the running one writes; a commit exchanges them. */
typedef struct gb_variable_slot {
    char *name;
    gb_shape shape;
    size_t count;
    void *now, *next; /* next: NULL until a program assigns it */
    uint32_t generation;
    uint32_t node;
    uint64_t assigned_by; /* the `compiled` of the program that assigned it last */
} gb_variable_slot;

typedef struct gb_input_slot {
    const char *name;
    gb_shape shape;
    gb_type type;
    bool by_row;
    int64_t rows;     /* fed; -1: not yet */
    const void *data; /* what the next run reads */
    void *copy;       /* our own memory */
    size_t capacity;  /* of it, in bytes */
} gb_input_slot;

/* A hidden axis: samples (0), sites, rows (63). */
typedef struct gb_axis_slot {
    const char *name;
    int64_t size; /* of a site */
} gb_axis_slot;

typedef struct gb_stream_slot {
    const char *name;
    uint64_t key;
    uint64_t draws;
} gb_stream_slot;

/* A growing list of T. */
#define GB_LIST(T)                                                                                           \
    struct {                                                                                                 \
        T *at;                                                                                               \
        size_t count, capacity;                                                                              \
    }
#define GB_LIST_GROW(memory, list, more)                                                                     \
    gb_grow((memory), (void **)&(list)->at, &(list)->capacity, (list)->count + (more), sizeof(*(list)->at))

/* Which name means which index. */
typedef struct gb_names {
    struct gb_name_entry {
        const char *name;
        uint32_t index;
    } * at;
    size_t count, capacity; /* capacity: a power of two */
} gb_names;
bool gb_names_find(const gb_names *names, const char *name, uint32_t *index);
bool gb_names_add(const gb_memory *memory, gb_names *names, const char *name,
                  uint32_t index); /* false: no memory */
void gb_names_clear(gb_names *names);

struct gb_tape {
    gb_tape_options options;
    gb_memory memory;
    gb_isa isa;
    uint32_t generation;
    gb_status status;
    char error[640];

    gb_arena arena; /* what lives as long as a recording: arguments, attributes, names, streams */
    GB_LIST(gb_record) nodes;
    GB_LIST(gb_variable_slot) variables; /* outlive a reset */
    GB_LIST(gb_input_slot) inputs;
    GB_LIST(gb_axis_slot) axes;
    GB_LIST(gb_stream_slot) streams;
    GB_LIST(gb_program *) programs; /* every one made, until the tape ends */
    gb_names variable_names, input_names, stream_names;
    uint32_t adjoint_of; /* what the gradient walk is at: see gb_record */
    uint64_t runs;       /* that ended well, of all programs */
    uint64_t compiled;   /* programs so far */
    gb_workers *workers;
};

/* Elements are as wide as the tape's reals. */
static inline size_t gb_width(const gb_tape *tape)
{
    return tape->options.real == GB_FLOAT ? sizeof(float) : sizeof(double);
}

/* Bytes of a buffer for `count` elements: whole groups of noise (256 bytes), and one line more, so that a kernel
 * may read whole lines from any element on. */
static inline size_t gb_buffer_bytes(const gb_tape *tape, size_t count)
{
    return (count * gb_width(tape) + 255) / 256 * 256 + GB_LINE_BYTES;
}

/* The record of a node that gb_usable accepts. */
static inline gb_record *gb_record_of(gb_node node)
{
    return &node.tape->nodes.at[node.id];
}
static inline gb_node gb_node_at(gb_tape *tape, uint32_t id)
{
    return (gb_node){.tape = tape, .id = id, .generation = tape->generation};
}

extern const gb_op gb_total_op;

/* True if `node` can be used on `tape`; else says why not, as "WHO: …". */
bool gb_usable(gb_tape *tape, gb_node node, const char *who);
gb_node gb_inert(void);

/* The three leaves, and where their slots are kept. */
extern const gb_op gb_constant_op, gb_variable_op, gb_input_op, gb_axis_index_op;
typedef struct gb_constant_data {
    double value;     /* of a scalar */
    const void *data; /* of an array, in the tape's own types; NULL for a scalar */
} gb_constant_data;
typedef struct gb_slot_index {
    uint32_t index;
} gb_slot_index;

/* Writes `count` numbers in the tape's own type, a single one over a whole line (as buffers keep it). */
void gb_store_values(const gb_tape *tape, gb_type type, void *to, size_t count, gb_values values);
/* Reads `count` numbers from a buffer. */
void gb_load_values(const gb_tape *tape, gb_type type, const void *from, size_t count, double *values);

/* "samples, rows": the names of hidden axes. */
enum { GB_AXES_TEXT = 200 };
const char *gb_axes_text(const gb_tape *tape, gb_axes axes, char text[GB_AXES_TEXT]);
/* Position of the lowest axis of a set. */
static inline int gb_lowest_axis(gb_axes axes)
{
    return __builtin_ctzll(axes);
}

/* Programs are ended by these. */
void gb_program_forget(gb_program *program); /* frees its plans; it stays refusable */
/* The pool, made when first asked for. */
gb_workers *gb_workers_new(gb_tape *tape, int threads);
void gb_workers_free(gb_workers *workers);
gb_isa gb_best_isa(void);

#endif
