/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contractions: C = Σ A · B over any number of axes, where each array may have any of them, with any strides.
 *
 * An axis that A, B and C have repeats the product; one that A and C have makes rows (m), one that B and C have
 * makes columns (n), and one that C lacks is summed over (k). gb_contract_prepare maps all of that, once, to
 * matrix products: axes of one kind that follow each other in memory become one; then one m, one n and one k make
 * the product, and loops over the others surround it. Large products are OpenBLAS's; small ones, and products with
 * a vector or a few, are faster in the kernels of contract_vector.c. */
#ifndef GREBE_OPS_PRODUCTS_CONTRACT_IMPL_H
#define GREBE_OPS_PRODUCTS_CONTRACT_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/op.h"
#include "ops/products/blas_impl.h"

enum { GB_CONTRACT_AXES = 2 * (GB_MAX_HIDDEN + GB_MAX_RANK) };

/* An axis, or several merged: its size, and how many elements lie between neighbours in each array; 0 where the
 * array lacks it. */
typedef struct gb_contract_axis {
    int64_t size, a, b, c;
} gb_contract_axis;

/* `times` products C[m,n] = Σ A[m,k] B[k,n], or += with `add`, each a step further in the arrays. */
typedef struct gb_product {
    gb_contract_axis times, m, n, k;
    const void *a, *b;
    void *c;
    bool add;
} gb_product;

/* Two ways to carry a product out: `wide` keeps vectors of C along n, and is fast where n.b = n.c = 1; `dots` sums
 * vectors along k, where k.a = k.b = 1 must hold. */
typedef void gb_contract_kernel(const gb_product *product);
#define GB_CONTRACT_DECLARE(isa, name)                                                                       \
    gb_contract_kernel gb_contract_##name##_##isa##_64, gb_contract_##name##_##isa##_32;
GB_EACH_ISA(GB_CONTRACT_DECLARE, wide)
GB_EACH_ISA(GB_CONTRACT_DECLARE, dots)

typedef enum gb_contract_form { GB_CONTRACT_WIDE, GB_CONTRACT_DOTS, GB_CONTRACT_BLAS } gb_contract_form;

/* How OpenBLAS is to be called. */
typedef struct gb_contract_call {
    int trans_a, trans_b, lda, ldb, ldc;
} gb_contract_call;

/* A contraction, planned (gb_contract_prepare): plain data, which may be copied and need not be freed. */
typedef struct gb_contract {
    gb_contract_form form;
    gb_real real;
    bool swapped; /* A and B have changed places: Cᵀ = Bᵀ Aᵀ */
    gb_contract_kernel *kernel;
    const gb_blas *blas;
    gb_contract_call call;
    gb_product product; /* sizes and strides */
    int loops, sums;    /* around it: axes that C has, then axes that are summed over */
    gb_contract_axis axis[GB_CONTRACT_AXES];
    int64_t tile_times, tile_m, tile_n; /* a large product is cut into items of this size, all of k in each */
    size_t items, items_per_tile; /* an item is one call, `sums` apart; a tile is what one thread takes */
} gb_contract;

/* ⌈a / b⌉ for b > 1, and a for other b. */
static inline int64_t gb_ceil_div(int64_t a, int64_t b)
{
    return b > 1 ? (a + b - 1) / b : a;
}

/* C must not overlap A or B. Allocates nothing. The bits of C do not depend on `workers` (NULL: none). */
void gb_contract_run(const gb_contract *contract, gb_workers *workers, const void *a, const void *b, void *c);

#endif
