/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a formula has learned, as bytes. */
#ifndef GREBE_DATA_DESIGN_BYTES_IMPL_H
#define GREBE_DATA_DESIGN_BYTES_IMPL_H

#include "data/formula/formula_impl.h"

/* Returns the bytes, which the caller releases; NULL if memory runs out. */
char *gb_formula_bytes(const gb_formula *formula, size_t *count);

/* Reads such bytes; `name` is for messages. */
bool gb_formula_read_bytes(gb_formula *formula, const char *name, const void *bytes, size_t count);

#endif
