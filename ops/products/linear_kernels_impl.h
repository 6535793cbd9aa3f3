/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of linear.c: factors and solves. */
#ifndef GREBE_OPS_PRODUCTS_LINEAR_KERNELS_IMPL_H
#define GREBE_OPS_PRODUCTS_LINEAR_KERNELS_IMPL_H

#include "core/op.h"
#include "ops/products/factor_impl.h"

/* Of all of them: chooses the kernel of the inner loop. */
bool gb_linear_prepare(gb_tape *tape, const gb_kernel_call *call);

void gb_cholesky_run(const gb_kernel_call *call);
size_t gb_cholesky_workspace(const gb_kernel_call *call);

void gb_cholesky_adjoint_run(const gb_kernel_call *call);
size_t gb_cholesky_adjoint_workspace(const gb_kernel_call *call);

void gb_triangular_solve_run(const gb_kernel_call *call);
size_t gb_triangular_solve_workspace(const gb_kernel_call *call);

#endif
