/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversion of numbers to and from buffers. */
#ifndef GREBE_CORE_TAPE_VALUES_IMPL_H
#define GREBE_CORE_TAPE_VALUES_IMPL_H

#include "core/tape/tape_impl.h"

/* Stores element `i` of a buffer, in the tape's own type. */
void gb_store_value(const gb_tape *tape, gb_type type, void *to, size_t i, double x);

/* Stores `count` numbers in the tape's own type. A single number fills a whole line, as in all buffers. */
void gb_store_values(const gb_tape *tape, gb_type type, void *to, size_t count, gb_values values);

/* Returns the first finite number that would be infinite on a float tape; `count` if there is none. */
size_t gb_first_too_large(const gb_tape *tape, size_t count, const double *values);
#define GB_TOO_LARGE "too large for a float tape: scale it, or make the tape with .real = GB_DOUBLE"

/* Loads `count` numbers from a buffer. */
void gb_load_values(const gb_tape *tape, gb_type type, const void *from, size_t count, double *values);

#endif
