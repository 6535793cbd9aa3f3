/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in and out of buffers. */
#ifndef GREBE_CORE_TAPE_VALUES_IMPL_H
#define GREBE_CORE_TAPE_VALUES_IMPL_H

#include "core/tape/tape_impl.h"

/* Writes number `i` of a buffer, in the tape's own type. */
void gb_store_value(const gb_tape *tape, gb_type type, void *to, size_t i, double x);

/* Writes `count` numbers in the tape's own type, a single one over a whole line (as buffers keep it). */
void gb_store_values(const gb_tape *tape, gb_type type, void *to, size_t count, gb_values values);

/* Reads `count` numbers from a buffer. */
void gb_load_values(const gb_tape *tape, gb_type type, const void *from, size_t count, double *values);

#endif
