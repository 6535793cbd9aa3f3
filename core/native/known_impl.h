/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the instructions of a plan before they are written as C: which arrays they read and write,
 * how each is written, which of them are one loop, and which results must be in memory. */
#ifndef GREBE_CORE_NATIVE_KNOWN_IMPL_H
#define GREBE_CORE_NATIVE_KNOWN_IMPL_H

#include "core/native/formulas_impl.h"

enum { GB_OPERANDS = 1 + GB_MAX_BLOCK_ARGS };

/* Which array an operand is, as a number: equal arrays have equal numbers, and the next byte has the next
 * number. 0: there is no such operand. */
typedef uint64_t gb_array_key;
enum { GB_KEY_FOLLOWS = 63, GB_KEY_OFFSET = 40 };
_Static_assert(sizeof(void *) <= 8, "an address is a key");

/* Of what is followed: which watch, GB_NONE if none, and the offset in bytes. */
static inline uint32_t gb_key_watch(gb_array_key key)
{
    return key >> GB_KEY_FOLLOWS ? (uint32_t)(key << 1 >> (GB_KEY_OFFSET + 1)) - 1 : GB_NONE;
}
static inline size_t gb_key_offset(gb_array_key key)
{
    return key & (((gb_array_key)1 << GB_KEY_OFFSET) - 1);
}
static inline bool gb_keys_overlap(gb_array_key a, size_t a_bytes, gb_array_key b, size_t b_bytes)
{
    return a && b && a < b + b_bytes && b < a + a_bytes;
}

typedef enum gb_written {
    GB_BY_KERNEL, /* its kernel is called */
    GB_BY_FORMULA,
    GB_AS_CHECK,
    GB_AS_ROW,   /* in a loop: a row that is read again for each row of the others */
    GB_AS_SUMS,  /* in a loop: sums of rows */
    GB_AS_NUMBER /* in straight code: a reduction to one number */
} gb_written;

typedef struct gb_known {
    gb_written as;
    const gb_formula *formula; /* GB_BY_FORMULA */
    const char *name;          /* of a check, or of the reducer of a reduction; else NULL */
    gb_array_key key[GB_OPERANDS];
    size_t part;    /* the first instruction of its part */
    uint32_t group; /* instructions over several vectors that are one loop have one number; else 0 */
    bool several;   /* it computes several vectors */
    bool stored;    /* its result is needed in memory */
} gb_known;

/* A list of instructions of the plan: its straight code, or the bodies of its loops. */
typedef struct gb_knowledge {
    const gb_plan *plan;
    const gb_block *code;
    bool in_loop;
    gb_formulas formulas;
    gb_arena arena;    /* of what follows */
    gb_known *known;   /* [count of the list] */
    gb_known **latest; /* writer of each line of the temporaries, or NULL */
    uint32_t groups;
} gb_knowledge;

/* Begins with a list. Returns false if memory runs out or the plan is too large. */
bool gb_know(gb_knowledge *k, bool in_loop);
/* Finds everything about a range of the list. A part has `most` instructions, and ends with a group. */
void gb_know_range(gb_knowledge *k, size_t first, size_t count, size_t most);

/* Returns the bytes of an array from its key on: in a loop, those of a block. */
size_t gb_known_bytes(const gb_knowledge *k, size_t instruction, size_t operand);
/* Returns the instruction after the group that begins at `first`. */
size_t gb_known_group_end(const gb_knowledge *k, size_t first, size_t end);
/* Returns the elements of a row; 0: it knows of no rows. */
size_t gb_known_row(const gb_knowledge *k, size_t instruction);

#endif
