/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans. A plan is a program prepared for given numbers of samples and rows. Four passes (core/plan/passes.c)
 * make it:
 *
 *   values.c   the values that are needed: dead code is removed, common subexpressions are shared,
 *              aliases and views are replaced by their arguments
 *   units.c    which values are computed together (units), and the order of units
 *   places.c   the place of each value, and how long it is used: buffers are reused
 *   emit.c     the instructions
 */
#ifndef GREBE_CORE_PLAN_PLAN_IMPL_H
#define GREBE_CORE_PLAN_PLAN_IMPL_H

#include "core/kernels/engine_impl.h"
#include "core/kernels/instruction_impl.h"
#include "core/kernels/noise_impl.h"
#include "core/tape/op_impl.h"

/* A reduction with more columns than this (floats: than twice this) is computed column by column. The number
 * is fixed, since the bits of a sum depend on it. */
enum { GB_COLUMNS_BY_LINE = 1024 };

/* Where a value is stored. */
typedef enum gb_place_kind {
    GB_NOWHERE,     /* in a temporary of its unit, or nowhere */
    GB_IN_WORK,     /* in the plan's buffers */
    GB_IN_VARIABLE, /* in a variable's old value */
    GB_IN_NEXT,     /* in a variable's new value */
    GB_IN_INPUT,    /* in the data that was fed */
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
    uint32_t node; /* the node of the tape that it is, or was made for */
    gb_shape shape;
    gb_axes axes;
    gb_type type;
    bool constant; /* the same in every run, so computed once */
    bool kept;     /* a root */
    bool used;     /* needed by a root, an assign or a check */
    bool in_memory;
    size_t count;            /* the number of its elements */
    size_t domain;           /* the elements it is computed over; for a reduction those of its argument */
    const gb_layout *layout; /* for a view: the strides of its elements in `base` */
    uint32_t base;           /* of a check: its index */
    uint32_t assigns;        /* the variable it is written to, or GB_NONE */
    uint32_t unit;
    uint32_t next_member; /* of the unit */
    uint32_t last_unit;   /* the position of the last unit that uses it */
    gb_place place;
} gb_planned;

typedef enum gb_unit_kind { GB_UNIT_BLOCKS, GB_UNIT_COLUMNS, GB_UNIT_KERNEL, GB_UNIT_EXCHANGE } gb_unit_kind;

/* A unit: values that are computed together. It is a fused group over one number of elements, one kernel, or
 * all that a team exchanges at one time. */
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

/* A pointer in the plan to a variable or an input, whose address may change between runs. While the code
 * grows, a pointer of an instruction is known by the instruction's index. */
typedef struct gb_fixup {
    const void **where;
    size_t offset;
    uint32_t next;        /* 1 + index */
    uint32_t instruction; /* GB_NONE: `where` is final */
    bool in_loop;         /* an instruction of `bodies`, not of `code` */
    uint8_t operand;
} gb_fixup;

typedef struct gb_watch {
    gb_place_kind kind;
    uint32_t slot;
    uint32_t first; /* 1 + index of a fixup */
    const void *bound;
} gb_watch;

/* A check of one value before the commit. */
typedef struct gb_check {
    uint32_t node;     /* the node to check */
    uint32_t variable; /* the variable that it is assigned to, or GB_NONE for a root */
    bool in_body;      /* `node` owns a body, in which a check failed */
} gb_check;

/* An assign: variable <- value. */
typedef struct gb_target {
    uint32_t variable; /* slot */
    uint32_t value;    /* node */
} gb_target;

/* What a plan must compute. */
typedef struct gb_goal {
    gb_tape *tape;
    uint32_t *roots; /* nodes */
    size_t root_count;
    gb_target *targets;
    size_t target_count;
    bool *needed;               /* [nodes]: whether a root or target depends on it */
    uint32_t nodes;             /* 1 + the highest node that is needed */
    uint64_t noise_step;        /* the step that streams use in the next run */
    gb_rows_place rows;         /* where its rows are among all, as far as noise knows */
    const struct gb_body *body; /* of the goal of a body; NULL: a program's */
    bool tolerates;             /* values that operations reject do not fail the run */
    bool is_strict;             /* a root that is not finite does */
    bool is_apart;              /* its rows are this member's alone, if the tape has a team */
} gb_goal;

/* The members that exchange what the goal needs; NULL: none. */
static inline gb_team *gb_goal_team(const gb_goal *goal)
{
    return goal->is_apart ? NULL : goal->tape->mates.team;
}

/* Sets `needed` and `nodes`. Returns false if memory runs out. */
bool gb_goal_mark(gb_goal *goal);

/* How bad a value is. */
typedef enum gb_finding { GB_FINITE, GB_INFINITE, GB_NOT_A_NUMBER } gb_finding;

/* The plan of the body of one value. */
typedef struct gb_body_plan {
    struct gb_body_plan *next;
    gb_goal goal;
    gb_plan *plan;
    const gb_kernel_call *call;        /* of the operation that owns the body */
    uint32_t value;                    /* of the owner, in the plan around */
    size_t steps;                      /* that one call makes */
    void **given[GB_BODY_MOST];        /* of each step: addresses, [goal.body->given_count] */
    const void **result[GB_BODY_MOST]; /* [goal.body->result_count] */
    size_t *bytes;                     /* [carried], of the state */
    gb_block *code;                    /* of all steps, one after the other; NULL: that of the plan is used */
    size_t length;                     /* the number of instructions of a step */
    gb_check check;                    /* that failed in the latest run */
    gb_check outside;                  /* what that is in the plan around */
    bool failed;                       /* until the plan around has seen it */
    /* The run ends after the first step with a value as bad as this; GB_FINITE: it does not. Only for plans
     * without fusion. */
    gb_finding look_for;
    int64_t step; /* the latest */
} gb_body_plan;

typedef GB_LIST(gb_block) gb_blocks;

struct gb_plan {
    gb_plan *next;
    const gb_goal *goal;
    gb_arena arena;
    int64_t samples, rows; /* the numbers it is for; rows −1: it has no rows */
    bool fused;
    bool constants_done;
    uint64_t exchanged;  /* a number that identifies what is exchanged, in which order */
    void *row_count;     /* a line: the number of all rows of a team; NULL: no value needs it */
    void *row_index;     /* which of these its own rows are; NULL: no value needs it */
    gb_workers *workers; /* NULL: too small for several threads */

    GB_LIST(gb_planned) values;
    GB_LIST(gb_unit) units;
    uint32_t *order; /* unit indices, in the order of execution */

    gb_blocks code;   /* the instructions of the first run only, then those of every run */
    size_t once;      /* the number of instructions of the first run only */
    gb_blocks bodies; /* the instructions of loops */
    GB_LIST(gb_fixup) fixups;
    GB_LIST(gb_watch) watches;
    GB_LIST(gb_check) checks;
    uint32_t *failed;        /* [checks.count] */
    gb_body_plan *bodies_of; /* those that operations of this plan own */

    uint32_t *root;           /* the values of the program's roots */
    void *work;               /* buffers */
    size_t work_bytes, bytes; /* of the buffers; of all arrays, with those of variables and inputs */
    gb_scratch scratch;
    size_t groups;
    struct gb_native *native; /* NULL: none was asked for */
    void (*free_native)(struct gb_native *native);
};

/* Makes a plan of the goal, which must outlive it, for these numbers of samples and rows (−1: no rows).
 * `fused` false: every value has a unit of its own and is kept. Returns NULL on error. */
gb_plan *gb_plan_new(const gb_goal *goal, int64_t samples, int64_t rows, bool fused);
void gb_plan_free(gb_plan *plan);

/* Says where this member's rows are among those of its team, before a run. */
void gb_plan_place_rows(gb_plan *plan, const gb_rows_place *at);

/* The passes. They return false on error. */
bool gb_plan_values(gb_plan *plan);
bool gb_plan_units(gb_plan *plan);
bool gb_plan_places(gb_plan *plan);
bool gb_plan_emit(gb_plan *plan);

/* Makes the goal of the body of a value, for the kernel call of its owner; its plan waits for the end of the
 * plan around. Returns NULL on error. */
gb_body_plan *gb_plan_body(gb_plan *plan, uint32_t value, const gb_kernel_call *call);
/* The last pass: finds the buffers of a planned body, and writes down its code for several steps. */
bool gb_plan_body_buffers(gb_plan *plan, gb_body_plan *body);

/* Records the error. Always returns false. */
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
/* Returns whether the value is computed element by element, so that other members of its group can read it
 * there. A reduction is a member of a group too, but others cannot read it there. */
static inline bool gb_is_member(const gb_planned *value)
{
    return value->op->form == GB_FORM_ELEMENTWISE || value->op->form == GB_FORM_NOISE;
}

static inline bool gb_is_check(const gb_planned *value)
{
    return value->op->form == GB_FORM_REDUCE && !value->attributes;
}

/* Returns the size of the hidden axis with this bit number. */
int64_t gb_plan_axis_size(const gb_plan *plan, int bit);
/* Stores the number of elements. Returns false if the product overflows. */
bool gb_plan_count(const gb_plan *plan, gb_axes axes, gb_shape shape, size_t *count);
/* Fills the dense layout of a value with these axes and this shape. */
void gb_plan_dense(const gb_plan *plan, gb_axes axes, gb_shape shape, gb_layout *layout);
/* Returns the layout of a value: its own if it is a view, else the dense one, which is stored in `dense`. */
const gb_layout *gb_plan_layout(const gb_plan *plan, const gb_planned *value, gb_layout *dense);
/* Fills the layout of the elements of `from`, broadcast to these axes and this shape. */
void gb_plan_broadcast(const gb_plan *plan, const gb_layout *from, gb_axes axes, gb_shape shape,
                       gb_layout *layout);
/* Stores the sizes [outer, reduced, inner] of a reduction. */
void gb_plan_reduction(const gb_plan *plan, const gb_planned *value, size_t *outer, size_t *reduced,
                       size_t *inner);

/* The engine's own operations in plans. The two exchanges are the sum of a value over the members of a team,
 * and the largest. */
extern const gb_op gb_copy_op, gb_finite_op, gb_none_above_op, gb_none_nan_op;
extern const gb_op gb_exchange_sum_op, gb_exchange_largest_op;

static inline gb_team *gb_plan_team(const gb_plan *plan)
{
    return gb_goal_team(plan->goal);
}
static inline bool gb_is_exchange(const gb_planned *value)
{
    return value->op == &gb_exchange_sum_op || value->op == &gb_exchange_largest_op;
}

#endif
