/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Special functions of vectors, to be included by `*_vector.c` files. */
#ifndef GREBE_CORE_VECTOR_SPECIAL_IMPL_H
#define GREBE_CORE_VECTOR_SPECIAL_IMPL_H

#include "vector_math_impl.h"

GB_INLINE V v_ndtr(V x)
{
    return (real)0.5 * (V)GB_SLEEF(erfc, u15)(x * (real)-0.70710678118654752440);
}

#endif
