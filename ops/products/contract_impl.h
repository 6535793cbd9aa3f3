/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contractions: C = Σ A · B over any number of axes. Each array may have any of the axes, with any strides.
 *
 * An axis of A, B and C repeats the product. An axis of A and C makes rows (m), one of B and C makes columns
 * (n), and one that C lacks is summed over (k). gb_contract_prepare maps a contraction to matrix products,
 * once. Axes of one kind that are contiguous in memory become one. Then one m, one n and one k make the
 * product, and loops over the other axes surround it. OpenBLAS computes large products. The kernels of
 * contract_vector.c are faster for small products, and for products with a vector or with a few. */
#ifndef GREBE_OPS_PRODUCTS_CONTRACT_IMPL_H
#define GREBE_OPS_PRODUCTS_CONTRACT_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/op.h"
#include "ops/products/blas_impl.h"

enum { GB_CONTRACT_AXES = 2 * (GB_MAX_HIDDEN + GB_MAX_RANK) };

/* An axis, or several merged ones: its size, and its stride in each array, in elements; 0 if the array lacks
 * it. */
typedef struct gb_contract_axis {
    int64_t size, a, b, c;
} gb_contract_axis;

/* `times` products C[m,n] = Σ A[m,k] B[k,n] (+= with `add`), each at the next step in the arrays. */
typedef struct gb_product {
    gb_contract_axis times, m, n, k;
    const void *a, *b;
    void *c;
    bool add;
} gb_product;

/* The kernels. `wide` keeps vectors of C along n, and is fast if n.b = n.c = 1. `dots` sums vectors along k,
 * and requires k.a = k.b = 1. */
typedef void gb_contract_kernel(const gb_product *product);
#define GB_CONTRACT_DECLARE(isa, name)                                                                       \
    gb_contract_kernel gb_contract_##name##_##isa##_64, gb_contract_##name##_##isa##_32;
GB_EACH_ISA(GB_CONTRACT_DECLARE, wide)
GB_EACH_ISA(GB_CONTRACT_DECLARE, dots)

typedef enum gb_contract_form { GB_CONTRACT_WIDE, GB_CONTRACT_DOTS, GB_CONTRACT_BLAS } gb_contract_form;

/* The arguments for OpenBLAS. */
typedef struct gb_contract_call {
    int trans_a, trans_b, lda, ldb, ldc;
} gb_contract_call;

/* A planned contraction (gb_contract_prepare). It is plain data, which may be copied and need not be
 * freed. */
typedef struct gb_contract {
    gb_contract_form form;
    gb_real real;
    bool swapped; /* A and B are exchanged: Cᵀ = Bᵀ Aᵀ */
    gb_contract_kernel *kernel;
    const gb_blas *blas;
    gb_contract_call call;
    gb_product product; /* sizes and strides */
    int loops, sums;    /* loops around it: over axes of C, then over axes that are summed */
    gb_contract_axis axis[GB_CONTRACT_AXES];
    /* A large product is cut into items of this size, each with all of k. */
    int64_t tile_times, tile_m, tile_n;
    /* An item is one call (for each of `sums`); a tile is the work that one thread takes. */
    size_t items, items_per_tile;
} gb_contract;

/* Returns ⌈a / b⌉ for b > 1, and a for other b. */
static inline int64_t gb_ceil_div(int64_t a, int64_t b)
{
    return b > 1 ? (a + b - 1) / b : a;
}

/* Computes C, which must not overlap A or B. Allocates nothing. The bits of C do not depend on `workers`
 * (NULL: none). */
void gb_contract_run(const gb_contract *contract, gb_workers *workers, const void *a, const void *b, void *c);

#endif
