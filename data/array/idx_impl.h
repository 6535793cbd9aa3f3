/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IDX: two zero bytes, a type, the number of axes; their sizes as big-endian integers of 32 bits; the
 * numbers, big-endian too. */
#ifndef GREBE_DATA_ARRAY_IDX_IMPL_H
#define GREBE_DATA_ARRAY_IDX_IMPL_H

#include "data/array/head_impl.h"

bool gb_is_idx(const unsigned char magic[GB_MAGIC]);

/* Reads what follows the first bytes. Returns false on error. */
bool gb_idx_head(gb_stored *source, const unsigned char magic[GB_MAGIC], gb_array_head *head);

#endif
