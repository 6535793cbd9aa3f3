/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contractions: C = Σ A · B over any number of axes, where each array may have any of them, with any strides.
 *
 * An axis that A, B and C have repeats a product (batch); one of A and C makes rows (M), one of B and C makes
 * columns (N), and one of A and B alone is summed over (K). gb_contract_prepare maps all of that once to matrix
 * products: axes of one kind that follow each other in memory become one; then one M, one N and one K make the
 * product, and loops over the others surround it. Larger products are OpenBLAS's, smaller ones and products with
 * a vector are carried out here. */
#ifndef GREBE_OPS_CONTRACT_IMPL_H
#define GREBE_OPS_CONTRACT_IMPL_H

#include "core/block_impl.h"
#include "core/op.h"
#include "ops/blas_impl.h"

enum { GB_CONTRACT_AXES = 2 * (GB_MAX_HIDDEN + GB_MAX_RANK) };

/* One axis, or several merged: its size, and how far apart its elements are in each array; 0: the array lacks it. */
typedef struct gb_contract_axis {
    int64_t size, a, b, c;
} gb_contract_axis;

/* `times` products C[m,n] = Σ A[m,k] B[k,n] (or +=, with `add`), each a step further in the arrays. */
typedef struct gb_product {
    gb_contract_axis times, m, n, k; /* m.b = n.a = k.c = 0 */
    const void *a, *b;
    void *c;
    bool add;
} gb_product;

/* How a product is carried out: `wide` keeps vectors of C along n, `dots` sums vectors along k (k.a = k.b = 1). */
typedef void gb_contract_kernel(const gb_product *product);
#define GB_CONTRACT_DECLARE(isa, name) \
    gb_contract_kernel gb_contract_##name##_##isa##_64, gb_contract_##name##_##isa##_32;
GB_EACH_ISA(GB_CONTRACT_DECLARE, wide)
GB_EACH_ISA(GB_CONTRACT_DECLARE, dots)

typedef enum gb_contract_form { GB_CONTRACT_NOTHING, GB_CONTRACT_ZERO, GB_CONTRACT_KERNEL, GB_CONTRACT_BLAS } gb_contract_form;

/* A contraction, prepared. Plain data: it may be copied and needs no end. */
typedef struct gb_contract {
    gb_contract_form form;
    gb_real real;
    bool swapped; /* A and B have changed places: Cᵀ = Bᵀ Aᵀ */
    gb_contract_kernel *kernel;
    const gb_blas *blas;
    gb_product product; /* without its pointers */
    gb_contract_axis axis[GB_CONTRACT_AXES]; /* the loops around it: first `loops` over C, then `sums` over K */
    int loops, sums;
    gb_contract_axis tile; /* sizes: a, b, c of the products that one tile does of times, m, n; unused: size */
    size_t items;          /* products to be done, after splitting */
    size_t items_per_tile, tiles;
} gb_contract;

/* False: the contraction needs OpenBLAS, which could not be loaded. `count` is at most GB_CONTRACT_AXES. */
bool gb_contract_prepare(gb_contract *contract, gb_real real, gb_isa isa, int count, const gb_contract_axis *axes);

/* Allocates nothing. C must not overlap A or B. The bits of C do not depend on `workers` (NULL: none). */
void gb_contract_run(const gb_contract *contract, gb_workers *workers, const void *a, const void *b, void *c);

#endif
