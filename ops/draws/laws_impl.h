/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of laws_vector.c. */
#ifndef GREBE_OPS_DRAWS_LAWS_IMPL_H
#define GREBE_OPS_DRAWS_LAWS_IMPL_H

#include "core/kernels/block_impl.h"

GB_DECLARE_KERNELS(gamma_noise)
GB_DECLARE_KERNELS(log_gamma_noise)
GB_DECLARE_KERNELS(scaled_log_gamma_noise)
GB_DECLARE_KERNELS(poisson_noise)
GB_DECLARE_KERNELS(binomial_noise)
GB_DECLARE_KERNELS(von_mises_noise)

#endif
