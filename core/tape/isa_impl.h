/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction set whose kernels a tape uses, for operations that choose among kernels by themselves. */
#ifndef GREBE_CORE_TAPE_ISA_IMPL_H
#define GREBE_CORE_TAPE_ISA_IMPL_H

#include "core/kernels/block_impl.h"

struct gb_tape;
gb_isa gb_tape_isa(const struct gb_tape *tape);

#endif
