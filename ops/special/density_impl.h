/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of density_vector.c. */
#ifndef GREBE_OPS_SPECIAL_DENSITY_IMPL_H
#define GREBE_OPS_SPECIAL_DENSITY_IMPL_H

#include "core/kernels/block_impl.h"

#define GB_DENSITY_KERNELS(do_)                                                                              \
    do_(log1p_square) do_(log1p_square_slope) do_(log_gamma_step) do_(log_gamma_step_slope) do_(gamma_body)  \
        do_(gamma_log_body) do_(exp_excess) do_(gamma_rest) do_(gamma_rest_slope) do_(log_i0e_slope)         \
            do_(i0e) do_(i1e)
GB_DENSITY_KERNELS(GB_DECLARE_KERNELS)

#endif
