/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the beginning of a file says of its numbers. */
#ifndef GREBE_DATA_ARRAY_HEAD_IMPL_H
#define GREBE_DATA_ARRAY_HEAD_IMPL_H

#include "core/shape.h"
#include "data/numbers.h"
#include "data/stored/stored_impl.h"

enum { GB_MAGIC = 4 }; /* bytes that tell one format from another */

typedef struct gb_array_head {
    gb_number type;
    gb_shape shape;
    bool is_half;    /* numbers of 16 bits, which become floats */
    bool is_swapped; /* the other order of bytes */
    bool is_fortran; /* the first axis is contiguous */
    size_t bytes;    /* where the numbers begin */
} gb_array_head;

/* Whether this machine has the least significant byte first. */
bool gb_is_little_endian(void);

/* Reads exactly so many bytes of the beginning. Returns false, and records an error, if there are fewer. */
bool gb_head_read(gb_stored *source, gb_array_head *head, void *to, size_t bytes);

/* Records an error about a file, and returns false. */
bool GB_PRINTF(2, 3) gb_head_fail(const gb_stored *source, const char *format, ...);

#endif
