/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernels this processor can run. */
#ifndef GREBE_CORE_KERNELS_ISA_IMPL_H
#define GREBE_CORE_KERNELS_ISA_IMPL_H

#include "core/kernels/block_impl.h"

/* The best that this processor has, or less if the environment asks for it (GREBE_ISA). */
gb_isa gb_best_isa(void);

#endif
