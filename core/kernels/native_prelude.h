/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What native code begins with: core/native/object_impl.h. The library has this text in itself, with
 * the headers that it includes. */
#ifndef GREBE_CORE_KERNELS_NATIVE_PRELUDE_H
#define GREBE_CORE_KERNELS_NATIVE_PRELUDE_H

#include "core/kernels/block_impl.h"
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "core/kernels/vector_special_impl.h"

/* What gb_object_find is to find is declared so. */
#define GB_NATIVE __attribute__((visibility("default")))

#endif
