/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans: what a program becomes for given numbers of samples and rows. Made in four passes:
 *
 *   core/plan/values.c   which values are needed: dead code goes, common subexpressions are shared, aliases and views
 *                   are looked through
 *   core/plan/units.c    which values are computed together: units, in the order of execution
 *   core/plan/places.c   where each value lives, and for how long: buffers are reused
 *   core/plan/emit.c     the instructions
 */
#ifndef GREBE_CORE_PLAN_PLAN_IMPL_H
#define GREBE_CORE_PLAN_PLAN_IMPL_H

#include "core/kernels/block_extra_impl.h"
#include "core/tape/tape_impl.h"

/* Elements to a block, and blocks to a chunk: fixed, as the bits of a sum depend on them. */
enum { GB_CHUNK_BLOCKS = 16, GB_COLUMNS_BY_LINE = 1024 };

/* Where a value is found. */
typedef enum gb_place_kind {
    GB_NOWHERE,     /* in a temporary of its unit, or not at all */
    GB_IN_WORK,     /* in the plan's buffers */
    GB_IN_VARIABLE, /* in a variable's old value */
    GB_IN_NEXT,     /* in a variable's new value */
    GB_IN_INPUT,    /* in what was fed */
    GB_IN_DATA      /* at a fixed address */
} gb_place_kind;

typedef struct gb_place {
    gb_place_kind kind;
    uint32_t slot;
    size_t offset;
    const void *data;
} gb_place;

#define GB_NONE UINT32_MAX /* no index */

/* A value of the plan. */
typedef struct gb_planned {
    const gb_op *op;
    const void *attributes;
    const uint32_t *arg; /* indices of planned values */
    uint32_t args;
    uint32_t node; /* of the tape: itself, or what it serves */
    gb_shape shape;
    gb_axes axes;
    gb_type type;
    bool constant; /* the same in every run: computed once */
    bool kept;     /* a root */
    bool used;     /* by a root, an assign or a check */
    bool in_memory;
    size_t count;            /* its elements */
    size_t domain;           /* the elements it is computed over: for a reduction those of the argument */
    const gb_layout *layout; /* a view: where its elements are in `base` */
    uint32_t base;           /* of a check: which one */
    uint32_t assigns;        /* the variable it is written to, or GB_NONE */
    uint32_t unit;
    uint32_t next_member; /* of the unit */
    uint32_t last_unit;   /* the order of the last unit that uses it */
    gb_place place;
} gb_planned;

typedef enum gb_unit_kind { GB_UNIT_BLOCKS, GB_UNIT_COLUMNS, GB_UNIT_KERNEL } gb_unit_kind;

/* What is computed in one go: a fused group over one number of elements, or one kernel. */
typedef struct gb_unit {
    gb_unit_kind kind;
    bool constant;
    uint32_t stage; /* greater than the stages of all units it reads from */
    size_t domain;
    size_t reduced, inner; /* GB_UNIT_COLUMNS: see gb_reduce_plan */
    uint32_t first, last;  /* members, in the order of recording */
    uint32_t members;
} gb_unit;

/* An instruction inside a loop over blocks. Bit 0: out, bits 1…3: in. */
typedef struct gb_loop_instruction {
    gb_block block;
    uint8_t moves;     /* with the block */
    uint8_t temporary; /* counted from the thread's scratch */
} gb_loop_instruction;

typedef struct gb_plan gb_plan;

typedef struct gb_loop {
    gb_plan *plan;
    size_t domain, block;  /* elements */
    size_t reduced, inner; /* by columns, if inner > 0 */
    size_t tiles;
    size_t count;
    gb_loop_instruction *instruction;
    bool worth_threads;
} gb_loop;

/* A pointer in the plan that follows a variable or an input. While the code grows, it is known by its place. */
typedef struct gb_fixup {
    const void **where;
    size_t offset;
    uint32_t next; /* 1 + index */
    uint32_t instruction;
    uint8_t list; /* 0: `where` is right; 1: of `code`; 2: of `once` */
    uint8_t operand;
} gb_fixup;

typedef struct gb_watch {
    gb_place_kind kind;
    uint32_t slot;
    uint32_t first; /* 1 + index of a fixup */
    const void *bound;
} gb_watch;

typedef struct gb_kernel_unit {
    gb_kernel_call call;
    const void **in;
} gb_kernel_unit;

/* A check of one value, before the commit. */
typedef struct gb_check {
    uint32_t node;     /* that is checked */
    uint32_t variable; /* that it is assigned to, or GB_NONE: a root */
} gb_check;

struct gb_plan {
    gb_plan *next;
    gb_program *program;
    gb_arena arena;
    int64_t samples, rows; /* that it is for; rows −1: there are none in it */
    bool fused;
    bool constants_done;
    gb_workers *workers; /* NULL: too small to share out */

    GB_LIST(gb_planned) values;
    GB_LIST(gb_unit) units;
    uint32_t *order; /* unit indices, in the order of execution */

    GB_LIST(gb_block) once;                          /* instructions of the first run */
    GB_LIST(gb_block) code;                          /* instructions of every run */
    GB_LIST(uint8_t) once_temporary, code_temporary; /* as gb_loop_instruction.temporary */
    GB_LIST(gb_fixup) fixups;
    GB_LIST(gb_watch) watches;
    GB_LIST(gb_check) checks;
    uint32_t *failed; /* [checks.count] */

    uint32_t *root; /* values of the program's roots */
    void *work;     /* buffers */
    size_t work_bytes;
    char *scratch; /* temporaries, for each thread */
    size_t scratch_bytes,
        temporary_bytes; /* of one thread: all, and what comes before its copy of a loop's code */
    size_t groups;
};

/* The assigns of a program, in order. */
typedef struct gb_target {
    uint32_t variable; /* slot */
    uint32_t value;    /* node */
} gb_target;

struct gb_program {
    gb_tape *tape;
    uint32_t generation; /* of the tape; 0: freed */
    uint32_t *roots;     /* nodes */
    size_t root_count;
    gb_target *targets;
    size_t target_count;
    uint32_t *inputs; /* that they depend on */
    size_t input_count;
    bool counts_rows; /* asks for their number */
    int64_t samples;
    uint64_t step;
    uint64_t noise_step; /* what streams see: the step, and which half */
    uint64_t ran;        /* the tape's `runs` when it last ended well; 0: never */
    gb_plan *plans;      /* the latest first */
    gb_plan *latest;     /* that ran last */
};

/* Usable; else false, and the tape has the error (for NULL there is no tape). */
bool gb_program_ok(gb_program *program, const char *who);

/* A plan for these sizes, found or made; NULL on error. `fused` false: every value is kept, in a unit of its own. */
gb_plan *gb_plan_find(gb_program *program);
gb_plan *gb_plan_new(gb_program *program, int64_t samples, int64_t rows, bool fused);
void gb_plan_free(gb_plan *plan);

/* The passes. False: the tape has the error. */
bool gb_plan_values(gb_plan *plan);
bool gb_plan_units(gb_plan *plan);
bool gb_plan_places(gb_plan *plan);
bool gb_plan_emit(gb_plan *plan);

/* Carries out a plan; neither checks nor commits. */
void gb_plan_run(gb_plan *plan);
void gb_plan_run_looking(gb_plan *plan); /* with the noise that is for looking */

/* After gb_plan_run: whether all checks hold; else the tape has the error. */
bool gb_plan_passes(gb_plan *plan);
/* Says in the tape's error which operation made the value that `check` refused. Returns the status. */
gb_status gb_explain_nonfinite(gb_program *program, const gb_check *check);

bool gb_plan_out_of_memory(gb_plan *plan);
static inline gb_tape *gb_plan_tape(const gb_plan *plan)
{
    return plan->program->tape;
}
static inline size_t gb_plan_block(const gb_plan *plan)
{
    return GB_BLOCK_BYTES / gb_width(gb_plan_tape(plan));
}
static inline bool gb_is_leaf(const gb_planned *value)
{
    return value->op->form == GB_FORM_LEAF;
}
/* Computed element by element in a fused group (reductions are members of groups too, but no others read them there). */
static inline bool gb_is_member(const gb_planned *value)
{
    return value->op->form == GB_FORM_ELEMENTWISE || value->op->form == GB_FORM_NOISE;
}

static inline bool gb_is_check(const gb_planned *value)
{
    return value->op->form == GB_FORM_REDUCE && !value->attributes;
}

/* The dense layout of a value. */
void gb_plan_dense(const gb_plan *plan, gb_axes axes, gb_shape shape, gb_layout *layout);
/* [outer, reduced, inner] of a reduction over `arg`. */
void gb_plan_reduction(const gb_plan *plan, const gb_planned *value, size_t *outer, size_t *reduced,
                       size_t *inner);

/* The engine's own operations in plans. */
extern const gb_op gb_copy_op, gb_finite_op, gb_none_above_op, gb_none_nan_op;

/* Threads. `run` is called with 0 … tiles − 1 and the number of the thread. */
void gb_workers_run(gb_workers *workers, size_t tiles,
                    void (*run)(void *context, size_t tile, unsigned thread), void *context);
unsigned gb_workers_count(const gb_workers *workers);

#endif
