/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans: what a program becomes for given numbers of samples and rows. Made in four passes (core/plan/passes.c):
 *
 *   core/plan/values.c   which values are needed: dead code goes, common subexpressions are shared, aliases and views
 *                   are looked through
 *   core/plan/units.c    which values are computed together: units, in the order of execution
 *   core/plan/places.c   where each value lives, and for how long: buffers are reused
 *   core/plan/emit.c     the instructions
 */
#ifndef GREBE_CORE_PLAN_PLAN_IMPL_H
#define GREBE_CORE_PLAN_PLAN_IMPL_H

#include "core/kernels/engine_impl.h"
#include "core/kernels/instruction_impl.h"
#include "core/tape/op_impl.h"

/* Elements to a block, and blocks to a chunk: fixed, as the bits of a sum depend on them. */
enum { GB_COLUMNS_BY_LINE = 1024 };

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

typedef struct gb_plan gb_plan;

/* A pointer in the plan that follows a variable or an input. While the code grows, a pointer in an instruction is
 * known by the instruction's index. */
typedef struct gb_fixup {
    const void **where;
    size_t offset;
    uint32_t next;        /* 1 + index */
    uint32_t instruction; /* GB_NONE: `where` is right from the beginning */
    bool in_loop;         /* an instruction of `bodies`, not of `code` */
    uint8_t operand;
} gb_fixup;

typedef struct gb_watch {
    gb_place_kind kind;
    uint32_t slot;
    uint32_t first; /* 1 + index of a fixup */
    const void *bound;
} gb_watch;

/* A check of one value, before the commit. */
typedef struct gb_check {
    uint32_t node;     /* that is checked */
    uint32_t variable; /* that it is assigned to, or GB_NONE: a root */
} gb_check;

/* An assign: variable <- value. */
typedef struct gb_target {
    uint32_t variable; /* slot */
    uint32_t value;    /* node */
} gb_target;

/* What is to be computed. */
typedef struct gb_goal {
    gb_tape *tape;
    uint32_t *roots; /* nodes */
    size_t root_count;
    gb_target *targets;
    size_t target_count;
    bool *needed;        /* [nodes]: what roots and targets depend on */
    uint32_t nodes;      /* 1 + the highest that is needed */
    uint64_t noise_step; /* what streams see in the next run */
} gb_goal;

/* Sets `needed` and `nodes`. False: no memory. */
bool gb_goal_mark(gb_goal *goal);

typedef GB_LIST(gb_block) gb_blocks;

struct gb_plan {
    gb_plan *next;
    const gb_goal *goal;
    gb_arena arena;
    int64_t samples, rows; /* that it is for; rows −1: there are none in it */
    bool fused;
    bool constants_done;
    gb_workers *workers; /* NULL: too small to share out */

    GB_LIST(gb_planned) values;
    GB_LIST(gb_unit) units;
    uint32_t *order; /* unit indices, in the order of execution */

    gb_blocks code;   /* first the instructions of the first run alone, then those of every run */
    size_t once;      /* how many are of the first run alone */
    gb_blocks bodies; /* what loops repeat */
    GB_LIST(gb_fixup) fixups;
    GB_LIST(gb_watch) watches;
    GB_LIST(gb_check) checks;
    uint32_t *failed; /* [checks.count] */

    uint32_t *root; /* values of the program's roots */
    void *work;     /* buffers */
    size_t work_bytes;
    gb_scratch scratch;
    size_t groups;
};

/* A plan of the goal, which must outlive it, for these numbers of samples and rows (−1: there are none). `fused` false: every
 * value is kept, in a unit of its own. NULL: the tape has the error. */
gb_plan *gb_plan_new(const gb_goal *goal, int64_t samples, int64_t rows, bool fused);
void gb_plan_free(gb_plan *plan);

/* The passes. False: the tape has the error. */
bool gb_plan_values(gb_plan *plan);
bool gb_plan_units(gb_plan *plan);
bool gb_plan_places(gb_plan *plan);
bool gb_plan_emit(gb_plan *plan);

/* Keeps the error, and returns false. */
bool gb_plan_out_of_memory(gb_plan *plan);

static inline gb_tape *gb_plan_tape(const gb_plan *plan)
{
    return plan->goal->tape;
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

/* The size of the hidden axis of a bit. */
int64_t gb_plan_axis_size(const gb_plan *plan, int bit);
/* How many elements there are; false where the product overflows. */
bool gb_plan_count(const gb_plan *plan, gb_axes axes, gb_shape shape, size_t *count);
/* The dense layout of a value. */
void gb_plan_dense(const gb_plan *plan, gb_axes axes, gb_shape shape, gb_layout *layout);
/* The layout of a value: its own if it is a view, else the dense one, which is written to `dense`. */
const gb_layout *gb_plan_layout(const gb_plan *plan, const gb_planned *value, gb_layout *dense);
/* The elements of `from`, repeated to these axes and this shape. */
void gb_plan_broadcast(const gb_plan *plan, const gb_layout *from, gb_axes axes, gb_shape shape,
                       gb_layout *layout);
/* [outer, reduced, inner] of a reduction over `arg`. */
void gb_plan_reduction(const gb_plan *plan, const gb_planned *value, size_t *outer, size_t *reduced,
                       size_t *inner);

/* The engine's own operations in plans. */
extern const gb_op gb_copy_op, gb_finite_op, gb_none_above_op, gb_none_nan_op;

#endif
