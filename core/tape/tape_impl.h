/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a tape: its nodes, and the slots of variables, inputs, hidden axes and noise streams. */
#ifndef GREBE_CORE_TAPE_TAPE_IMPL_H
#define GREBE_CORE_TAPE_TAPE_IMPL_H

#include "core/ground/memory_impl.h"
#include "core/ground/notes_impl.h"
#include "core/kernel.h"
#include "core/kernels/block_impl.h"
#include "core/kernels/team_impl.h"
#include "core/tape.h"

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
    uint32_t body;       /* the number of the body that the node belongs to; 0: none */
    gb_type type;
    bool open; /* depends on a draw that no expectation has closed */
} gb_record;

/* A variable. Programs read `now`; the running one writes `next`; a commit exchanges the two. */
typedef struct gb_variable_slot {
    char *name;
    gb_shape shape;
    size_t count;
    void *now, *next; /* next: NULL until a program assigns it */
    uint32_t generation;
    uint32_t node;
    uint64_t assigned_by; /* the `compiled` of the program that assigned it last */
    bool awaits;          /* it has no value yet */
} gb_variable_slot;

typedef struct gb_input_slot {
    const char *name;
    gb_shape shape;
    gb_type type;
    gb_axes along;         /* rows, samples (core/tape/input_impl.h), or 0: one value */
    int64_t rows;          /* the number of values fed; -1: not fed yet */
    const uint32_t *order; /* which rows of a data set these are, for messages; NULL: from `first` on */
    int64_t first;
    const void *data; /* the values for the next run */
    void *copy;       /* memory of the input's own */
    size_t capacity;  /* of `copy`, in bytes */
    bool is_unused;   /* no program has run on these values yet */
} gb_input_slot;

/* A hidden axis: samples (0), sites, rows (63). */
typedef struct gb_axis_slot {
    const char *name;
    int64_t size; /* of a site */
    int depth;    /* of steps: 1 + the number of bodies around; 0: of a site */
} gb_axis_slot;

/* A body: see gb_body in core/op.h. */
typedef struct gb_body_slot {
    uint32_t around; /* the body in which it is recorded; 0: none */
    uint32_t leaves; /* the number of its given nodes so far */
} gb_body_slot;

/* Something with memory of its own that ends with the recording. */
typedef struct gb_owned {
    void (*release)(void *user);
    void *user;
} gb_owned;

typedef struct gb_stream_slot {
    const char *name;
    uint64_t key;
    uint64_t draws;
    gb_axes shared; /* along which draws are the same */
} gb_stream_slot;

struct gb_tape {
    gb_tape_options options;
    gb_memory memory;
    gb_isa isa;
    uint32_t generation;
    gb_status status;
    char error[GB_ERROR_TEXT];

    gb_arena arena; /* memory until the next reset: arguments, attributes, names, streams */
    GB_LIST(gb_record) nodes;
    GB_LIST(gb_variable_slot) variables; /* outlive a reset, as do notes */
    gb_notes notes;
    GB_LIST(gb_input_slot) inputs;
    GB_LIST(gb_axis_slot) axes;
    GB_LIST(gb_stream_slot) streams;
    GB_LIST(gb_body_slot) bodies;                       /* body 1 is at place 0 */
    uint32_t body;                                      /* the one that is being recorded; 0: none */
    GB_LIST(struct gb_program *) programs;              /* all that were made and not freed */
    void (*forget_program)(struct gb_program *program); /* frees the plans; gb_run then rejects it */
    GB_LIST(gb_owned) owned;                            /* see gb_tape_own */
    const struct gb_remark *remarks;                    /* the latest; see remark_impl.h */
    const struct gb_own_observed *observed;             /* the latest; see core/run/observed_impl.h */
    gb_names variable_names, input_names, stream_names;
    uint32_t adjoint_of; /* set during gb_grads: see gb_record */
    bool awaiting;       /* new variables have no values yet */
    size_t awaited;      /* the number of variables that have none */
    uint64_t runs;       /* the number of successful runs, of all programs */
    uint64_t compiled;   /* the number of programs so far */
    gb_workers *workers;
    gb_mates mates;
};

/* Elements are as wide as the tape's reals. */
static inline size_t gb_width(const gb_tape *tape)
{
    return tape->options.real == GB_FLOAT ? sizeof(float) : sizeof(double);
}

/* Bytes of a buffer for `count` elements: whole groups of noise (256 bytes) and one more line, since a kernel
 * may read whole lines from any element on. */
static inline size_t gb_buffer_bytes(const gb_tape *tape, size_t count)
{
    return (count * gb_width(tape) + 255) / 256 * 256 + GB_LINE_BYTES;
}

/* ---- the members of a team (core/tape/tape.c) ---- */

/* Tells the others one's word, with the status of the tape, and stores theirs, by rank, in `heard`, which may
 * be NULL. Returns false if a member has an error. Then all have one: the others that of the first, with its
 * number. An error is told once. Without a team: returns whether the tape has no error, and stores NULL. */
bool gb_tape_agree(gb_tape *tape, gb_word mine, const gb_word **heard);

/* The end of a tape's time in its team. */
void gb_tape_leave(gb_tape *tape);

#endif
