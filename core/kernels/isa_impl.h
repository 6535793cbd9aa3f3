/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of kernels by the processor's instruction sets. */
#ifndef GREBE_CORE_KERNELS_ISA_IMPL_H
#define GREBE_CORE_KERNELS_ISA_IMPL_H

#include "core/kernels/block_impl.h"

/* Returns the best instruction set that this processor has, or a lesser one if GREBE_ISA in the environment
 * names it. */
gb_isa gb_best_isa(void);

/* Returns GREBE_ISA if it is a word that names no instruction set; NULL: it is right, or not set. */
const char *gb_unknown_isa(void);

#endif
