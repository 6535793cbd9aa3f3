/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version. These three numbers are its only source: the build reads them here. */
#ifndef GREBE_CORE_VERSION_H
#define GREBE_CORE_VERSION_H

#include "export.h"

GB_BEGIN_DECLS

#define GB_VERSION_MAJOR 0
#define GB_VERSION_MINOR 2
#define GB_VERSION_PATCH 0

/* "0.2.0": of the library that is running, which may differ from the macros it was compiled against. */
GB_API const char *gb_version(void);

/* The vector kernels that new tapes use here: "AVX-512", "AVX2", "baseline". GREBE_ISA asks for lesser ones. */
GB_API const char *gb_kernels(void);

GB_END_DECLS
#endif
