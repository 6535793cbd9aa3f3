/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NPY, versions 1 to 3: "\x93NUMPY", two bytes of version, the length of a Python dictionary (2 bytes, from
 * version 2 on 4, little-endian), the dictionary, the numbers. */
#ifndef GREBE_DATA_ARRAY_NPY_IMPL_H
#define GREBE_DATA_ARRAY_NPY_IMPL_H

#include "data/array/head_impl.h"

bool gb_is_npy(const unsigned char magic[GB_MAGIC]);

/* Reads what follows the first bytes. Returns false on error. */
bool gb_npy_head(gb_stored *source, gb_array_head *head);

/* Writes the beginning of a file, version 1, and returns its length, a multiple of 64. */
enum { GB_NPY_BEGIN = 256 };
size_t gb_npy_begin(gb_number type, gb_shape shape, char to[GB_NPY_BEGIN]);

#endif
