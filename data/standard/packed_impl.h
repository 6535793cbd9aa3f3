/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that grow, and numbers and texts in them: those of notes, the low byte first on every machine. */
#ifndef GREBE_DATA_STANDARD_PACKED_IMPL_H
#define GREBE_DATA_STANDARD_PACKED_IMPL_H

#include "core/ground/memory_impl.h"

/* A 0 follows the bytes, so that they may be a text. `failed`: memory ran out. */
typedef struct gb_packing {
    const gb_memory *memory;
    char *at;
    size_t length, capacity;
    bool failed;
} gb_packing;
void gb_pack(gb_packing *to, const void *bytes, size_t count);
void gb_pack_number(gb_packing *to, uint64_t number, size_t bytes);
void gb_pack_real(gb_packing *to, double x);
void gb_pack_text(gb_packing *to, const char *text); /* its length before it */

/* Reading what was packed. Nothing is read behind a fault. */
typedef struct gb_unpacked {
    const unsigned char *at;
    size_t left;
    const char *fault; /* NULL: none yet */
} gb_unpacked;
uint64_t gb_unpack_number(gb_unpacked *from, size_t bytes);
double gb_unpack_real(gb_unpacked *from);

/* Copies a text, which has no 0, to an arena. NULL, without a fault, if memory runs out. */
const char *gb_unpack_text(gb_unpacked *from, gb_arena *arena);

/* Returns how many things follow, of which each has at least `each` bytes. */
size_t gb_unpack_count(gb_unpacked *from, size_t each);

/* Sets the first fault; returns false. */
bool gb_unpack_fault(gb_unpacked *from, const char *fault);

#endif
