/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Access to one element of a kernel's array, for both types of a tape's reals. Integers are as wide as the
 * reals. */
#ifndef GREBE_OPS_ELEMENTWISE_ELEMENT_IMPL_H
#define GREBE_OPS_ELEMENTWISE_ELEMENT_IMPL_H

#include "core/op.h"

static inline double gb_real_at(const gb_kernel_call *call, const void *from, int64_t i)
{
    return call->real == GB_FLOAT ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static inline void gb_put_real(const gb_kernel_call *call, void *to, int64_t i, double value)
{
    if (call->real == GB_FLOAT)
        ((float *)to)[i] = (float)value;
    else
        ((double *)to)[i] = value;
}

static inline int64_t gb_int_at(const gb_kernel_call *call, const void *from, int64_t i)
{
    return call->real == GB_FLOAT ? ((const int32_t *)from)[i] : ((const int64_t *)from)[i];
}

static inline void gb_put_int(const gb_kernel_call *call, void *to, int64_t i, int64_t value)
{
    if (call->real == GB_FLOAT)
        ((int32_t *)to)[i] = (int32_t)value;
    else
        ((int64_t *)to)[i] = value;
}

#endif
