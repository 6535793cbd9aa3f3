/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the BLAS that multiplies grebe's larger matrices, and about its kernels.
 *
 * grebe looks for OpenBLAS. If there is none, it takes another library with CBLAS functions: libblas.so.3,
 * which the system has chosen, FlexiBLAS, BLIS, MKL, or Accelerate on a Mac. GREBE_BLAS in the environment
 * names the one file to load instead (a name or a path for dlopen).
 *
 * OpenBLAS chooses its kernels when it is loaded, by the model number of the processor. For a processor newer
 * than itself it chooses its oldest ones (Prescott), which have a fifth of the speed. So grebe loads OpenBLAS
 * when a program first needs it, and makes it choose by the processor's features. A user's OPENBLAS_CORETYPE
 * overrides that. */
#ifndef GREBE_OPS_BLAS_H
#define GREBE_OPS_BLAS_H

#include <stdbool.h>

#include "../core/export.h"

GB_BEGIN_DECLS

/* All texts stay valid until the process ends. */
typedef struct gb_blas_facts {
    /* OpenBLAS's own description: version and build options. Of another BLAS its name and file, "BLIS
     * (libblis.so.4)". NULL if none is loaded. */
    const char *library;
    /* The processor that OpenBLAS's kernels were written for: "SkylakeX"; "chosen by itself" of another BLAS.
     * NULL if none is loaded. */
    const char *kernels;
    bool loaded_by_grebe; /* false: the process had loaded it before */
    bool fallback;        /* its kernels are older than the processor, or it is a BLAS that may be slow */
    /* What to do, or what grebe changes in the process; "" if nothing. */
    const char *advice;
} gb_blas_facts;

/* Loads OpenBLAS if it is not loaded yet, and fills `facts`, which may be NULL. Returns false if it cannot
 * be loaded: `advice` then names the package to install, or says that memory ran out. In that case a later
 * call tries again. Loading changes the environment for a moment, so no other thread may call setenv at
 * that time. OpenBLAS stays loaded until the process ends.
 *
 * grebe has threads of its own, so that results do not depend on their number. OpenBLAS is loaded with one
 * thread, unless OPENBLAS_NUM_THREADS in the environment has a number for the other callers in the process.
 * While grebe multiplies, OpenBLAS, FlexiBLAS, BLIS and MKL are set to one thread; then their number of
 * threads is as before. `advice` says so where that number cannot be set (Accelerate). OpenBLAS takes 128
 * MiB of addresses for each thread that multiplies. Without that memory a thread waits for the buffer of
 * another; if there is none, the run fails with GB_ENOMEM. */
GB_API bool gb_blas_look(gb_blas_facts *facts);

GB_END_DECLS
#endif
