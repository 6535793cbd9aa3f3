/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of numpy. */
#ifndef GREBE_FITTING_SUMMARY_NPY_IMPL_H
#define GREBE_FITTING_SUMMARY_NPY_IMPL_H

#include <stddef.h>

/* Writes what stands before an array of doubles of this shape, of at most 4 axes, in version 1.0 of the
 * format: the data begin at a multiple of 64 bytes. Returns the number of bytes. */
enum { GB_NPY_HEAD = 256 };
size_t gb_npy_head(int rank, const size_t *shape, char head[GB_NPY_HEAD]);

#endif
