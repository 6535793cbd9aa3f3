/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner loop of factors and triangular systems. */
#ifndef GREBE_OPS_PRODUCTS_SUBTRACT_IMPL_H
#define GREBE_OPS_PRODUCTS_SUBTRACT_IMPL_H

#include "core/kernels/block_impl.h"

/* to[r][i] −= Σ_k coefficient[r][k] · from[k][i], for i < width. No row is in both. Steps may be negative.
 * With a triangle T, at most four rows are replaced by the solution of T x = to afterwards: only its part up
 * to the diagonal is read. */
typedef struct gb_subtraction {
    double *to;
    int64_t to_step, rows, width;
    const double *coefficient; /* of row r and term k: at r · of_row + k · of_term */
    int64_t of_row, of_term, terms;
    const double *from;
    int64_t from_step;
    const double *triangle; /* NULL: none. Of rows r and q: at r · of_row + q · of_term */
} gb_subtraction;

typedef void gb_subtract_kernel(const gb_subtraction *s);
#define GB_SUBTRACT_DECLARE(isa, name) gb_subtract_kernel gb_##name##_##isa##_64;
GB_EACH_ISA(GB_SUBTRACT_DECLARE, subtract)

/* Returns the kernel for an instruction set. */
static inline gb_subtract_kernel *gb_subtract_of(gb_isa isa)
{
#define SUBTRACT(isa, name) gb_##name##_##isa##_64,
    static gb_subtract_kernel *const kernels[GB_ISA_COUNT] = {GB_EACH_ISA(SUBTRACT, subtract)};
#undef SUBTRACT
    return kernels[isa];
}

#endif
