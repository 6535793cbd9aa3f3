/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of linear.c: factors and solves. */
#ifndef GREBE_OPS_PRODUCTS_LINEAR_KERNELS_IMPL_H
#define GREBE_OPS_PRODUCTS_LINEAR_KERNELS_IMPL_H

#include "core/op.h"

/* The attributes of triangular_solve. They are compared as bytes, so there is no padding. */
typedef struct gb_triangle {
    int32_t transpose, upper;
} gb_triangle;

void gb_cholesky_run(const gb_kernel_call *call);
size_t gb_cholesky_workspace(const gb_kernel_call *call);

void gb_triangular_solve_run(const gb_kernel_call *call);
size_t gb_triangular_solve_workspace(const gb_kernel_call *call);

#endif
