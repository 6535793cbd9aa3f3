/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What native code begins with: core/native/object_impl.h. */
#ifndef GREBE_CORE_KERNELS_NATIVE_PRELUDE_H
#define GREBE_CORE_KERNELS_NATIVE_PRELUDE_H

#include "core/export.h"
#include "core/kernels/block_impl.h"
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "core/kernels/vector_special_impl.h"

#endif
