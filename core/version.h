/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version. The build reads it from these three numbers. */
#ifndef GREBE_CORE_VERSION_H
#define GREBE_CORE_VERSION_H

#include "export.h"

GB_BEGIN_DECLS

/* The version of these headers. */
#define GB_VERSION_MAJOR 0
#define GB_VERSION_MINOR 2
#define GB_VERSION_PATCH 0

/* Returns the version of the library that is running, such as "0.2.0". It may differ from the macros that the
 * program was compiled with. */
GB_API const char *gb_version(void);

/* Returns the vector kernels that new tapes use on this machine: "AVX-512", "AVX2" or "baseline". The
 * environment variable GREBE_ISA (baseline, avx2, avx512) selects lesser ones; gb_tape_new rejects other
 * words.
 *
 * Results have the same bits for any number of threads with the same kernels (and the same OpenBLAS, where
 * there are matrix products). Between kernels last digits differ, since exp, log and most other functions are
 * made of other instructions. */
GB_API const char *gb_kernels(void);

GB_END_DECLS
#endif
