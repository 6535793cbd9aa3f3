/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state that emit.c, operands.c and pointers.c share while they write a plan's instructions. */
#ifndef GREBE_CORE_PLAN_EMITTER_IMPL_H
#define GREBE_CORE_PLAN_EMITTER_IMPL_H

#include "core/plan/plan_impl.h"

/* A load. An argument that is neither a temporary nor contiguous in memory is first loaded into a
 * temporary. */
typedef struct gb_load {
    uint32_t value;
    const gb_strided *view;
    size_t offset; /* in bytes, from the start of the value's place */
    size_t slot;
    uint32_t last_use;
    bool done;
} gb_load;

typedef enum gb_operand_kind { GB_OPERAND_MEMBER, GB_OPERAND_DIRECT, GB_OPERAND_LOAD } gb_operand_kind;

typedef struct gb_operand {
    gb_operand_kind kind;
    uint32_t value; /* or the index of a load */
    size_t offset;  /* bytes */
    bool repeats;   /* one line is read again and again */
} gb_operand;

/* A pointer of an instruction, before addresses are known. */
typedef struct gb_pointer {
    gb_place place; /* GB_NOWHERE: the temporary at `offset` */
    size_t offset;
    bool moves;
} gb_pointer;

/* An array whose next block is fetched before a member is computed. */
typedef struct gb_fetch {
    gb_pointer pointer;
    uint32_t before;
} gb_fetch;

typedef struct gb_emitter {
    gb_plan *plan;
    gb_tape *tape;
    const gb_memory *memory;
    size_t width, block; /* bytes of an element; elements of a block */
    uint32_t *last_use;  /* [values]: the last member of its unit that reads a temporary */
    uint32_t *watch;     /* 1 + the index of a watch, for variables' old values, their new ones, inputs */
    /* Of the current unit. */
    const gb_unit *unit;
    GB_LIST(gb_operand) operands;
    GB_LIST(gb_load) loads;
    GB_LIST(size_t) free_slots;
    GB_LIST(gb_fetch) fetches;
    size_t next_fetch, fetches_left;
    size_t slot_bytes, slots;
    bool in_loop;
    /* Of the whole plan. */
    bool is_far;         /* its arrays are more than the caches hold */
    size_t longest_loop; /* instructions */
} gb_emitter;

/* ---- operands.c ---- */

/* Stores the operands of the current unit's members in e->operands: GB_MAX_BLOCK_ARGS for each member. */
bool gb_emit_find_operands(gb_emitter *e);

/* ---- fetch.c ---- */

/* Returns whether the arrays of a plan are more than the caches hold. */
bool gb_emit_is_far(const gb_plan *plan);
/* Finds the fetches of the current unit. */
bool gb_emit_find_fetches(gb_emitter *e);
/* Emits those that come before a member. */
bool gb_emit_fetches(gb_emitter *e, uint32_t member);

/* ---- pointers.c ---- */

/* Returns the address that a pointer refers to, if it never changes; else NULL, and a fixup must follow
 * it. */
const void *gb_emit_address(const gb_emitter *e, gb_pointer p);
bool gb_emit_follows(gb_place place);
bool gb_emit_follow(gb_emitter *e, gb_pointer p, gb_fixup fixup);

/* Operand 0 of an instruction is its output, 1 its first argument. */
const void **gb_emit_operand(gb_block *block, size_t which);

/* Stores pointers in an instruction and appends it. pointers[0] is the output. */
bool gb_emit_push(gb_emitter *e, gb_block block, size_t count, const gb_pointer *pointers);

#endif
