/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan as C. Its instructions are cut into *parts*, and each part becomes a function: of straight code a
 * hundred instructions or so, or the body of one loop. Values pass from instruction to instruction in
 * registers where the interpreter stores and loads them.
 *
 * The text has the structure alone: which operation is applied to which array. Addresses, sizes and numbers
 * come from the instructions of the plan, and from a table of pointers that a part is given. So equal parts
 * of a plan, and of other plans, are one function, which is compiled once. */
#ifndef GREBE_CORE_NATIVE_WRITE_IMPL_H
#define GREBE_CORE_NATIVE_WRITE_IMPL_H

#include "core/native/known_impl.h"

/* A part, and its function. */
typedef struct gb_native_part {
    size_t first;    /* of its instructions, in plan->code or plan->bodies */
    size_t function; /* index */
    size_t pointers; /* the first of its pointers in the table */
    gb_loop *loop;   /* NULL: straight code */
} gb_native_part;

/* A pointer of the table. It is that of an operand, and follows what that follows. */
typedef struct gb_native_pointer {
    gb_array_key key;
    uint32_t instruction; /* of plan->code */
    uint8_t operand;
} gb_native_pointer;

typedef struct gb_native_text {
    const gb_memory *memory;
    GB_LIST(gb_native_part) parts;
    GB_LIST(gb_native_pointer) pointers;
    GB_LIST(gb_growing_text) functions; /* each from its first parenthesis to the last brace */
    GB_LIST(char *) files;              /* complete texts; function i is part_i */
} gb_native_text;

/* Writes the plan, which has been run. Returns false if memory runs out or the plan is too large. */
bool gb_native_write(const gb_plan *plan, gb_native_text *out);
void gb_native_text_free(gb_native_text *text);

#endif
