/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which OpenBLAS multiplies grebe's larger matrices, and with what kernels.
 *
 * OpenBLAS chooses its kernels by the model number of the processor, when it is loaded, and takes its oldest ones
 * (Prescott) for a chip newer than itself: a fifth of the speed. grebe loads it when a program first needs it, and
 * has it choose by what the processor can do. Whoever sets OPENBLAS_CORETYPE has the last word. */
#ifndef GREBE_OPS_BLAS_H
#define GREBE_OPS_BLAS_H

#include <stdbool.h>

#include "../core/export.h"

GB_BEGIN_DECLS

/* All texts stay valid until the process ends. */
typedef struct gb_blas_facts {
    const char *library; /* what OpenBLAS says of itself: version and how it was built; NULL: there is none */
    const char
        *kernels; /* the processor that its kernels were written for: "SkylakeX"; NULL: there is none */
    bool loaded_by_grebe; /* false: it was in the process before */
    bool fallback;        /* its kernels are older than the processor */
    const char *advice;   /* what to do about it, or what grebe changed in the process; "" if nothing */
} gb_blas_facts;

/* Loads OpenBLAS if that was not done yet, and tells what came of it. False if it cannot be loaded: `advice` says
 * which package to install. Loading changes the environment for a moment, so no other thread should call setenv
 * then. OpenBLAS stays loaded until the process ends, and is set to one thread: threads are grebe's own, so that
 * results do not depend on their number. */
GB_API bool gb_blas_look(gb_blas_facts *facts);

GB_END_DECLS
#endif
