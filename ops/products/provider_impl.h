/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BLAS libraries that grebe knows: the files to look for, and how each is set to one thread. */
#ifndef GREBE_OPS_PRODUCTS_PROVIDER_IMPL_H
#define GREBE_OPS_PRODUCTS_PROVIDER_IMPL_H

#include <stdbool.h>

/* Names for dlopen, the preferred first, and NULL at the end. */
extern const char *const gb_blas_openblas_files[];
extern const char *const gb_blas_other_files[];

typedef struct gb_blas_provider {
    const char *name;
    bool is_slow; /* as far as is known: it is the reference BLAS, or a library without a name */
    /* Of OpenBLAS only, else NULL: its version and options; the processor that its kernels are for. */
    char *(*describe)(void), *(*kernels)(void);
    /* The number of threads; NULL if it cannot be read and set. Libraries differ in the type. */
    int (*get)(void);
    void (*set)(int);
    long (*get_long)(void);
    void (*set_long)(long);
} gb_blas_provider;

/* Finds out which library this is. */
void gb_blas_provider_of(void *library, gb_blas_provider *provider);

/* Whether sizes of matrices have 64 bits in it, so that grebe cannot call it. */
bool gb_blas_takes_long_integers(const gb_blas_provider *provider, void *library);

/* The number of threads, 1 if it is not known; and setting it. */
bool gb_blas_has_threads(const gb_blas_provider *provider);
int gb_blas_threads(const gb_blas_provider *provider);
void gb_blas_set_threads(const gb_blas_provider *provider, int threads);

#endif
