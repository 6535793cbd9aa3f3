/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of OpenBLAS that grebe calls. */
#ifndef GREBE_OPS_PRODUCTS_BLAS_IMPL_H
#define GREBE_OPS_PRODUCTS_BLAS_IMPL_H

#include "core/status.h"
#include "ops/blas.h"

/* The enumerations of cblas.h, by their values. */
enum { GB_BLAS_ROW_MAJOR = 101, GB_BLAS_PLAIN = 111, GB_BLAS_TRANSPOSED = 112 };

/* C[m,n] = alpha A[m,k] B[k,n] + beta C. */
typedef struct gb_blas {
    void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
                  int lda, const float *b, int ldb, float beta, float *c, int ldc);
    void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a,
                  int lda, const double *b, int ldb, double beta, double *c, int ldc);
} gb_blas;

/* Where OpenBLAS gets no memory it tries again for ever. It takes a buffer for each product that is being
 * computed, keeps it, and gives it to later products. So grebe reserves buffers, and computes no more
 * products at a time than there are. */

/* To be called before the first product is computed. Returns false if there is no memory for a buffer. */
bool gb_blas_reserve(void);

/* Around products. In between, OpenBLAS uses one thread. Afterwards the number of its threads, which it keeps
 * for the whole process, is as before. `begin` waits while all buffers are in use and there is no memory for
 * another. */
void gb_blas_begin(void);
void gb_blas_end(void);

/* Returns OpenBLAS. The first call loads it, and it stays loaded until the process ends. NULL if it cannot be
 * loaded. A later call tries again if memory was the reason. */
const gb_blas *gb_blas_load(void);

/* Returns whether it is loaded, and its facts; does not load it. */
bool gb_blas_is_loaded(gb_blas_facts *facts);

/* For a product that cannot be planned: records why on the tape, and returns the code. */
gb_status gb_blas_fail(gb_tape *tape);

#endif
