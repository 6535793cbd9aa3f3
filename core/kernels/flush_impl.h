/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processor's mode in which subnormal numbers count as 0, for the calling thread. */
#ifndef GREBE_CORE_KERNELS_FLUSH_IMPL_H
#define GREBE_CORE_KERNELS_FLUSH_IMPL_H

#include <stdint.h>

/* Enters the mode and returns the previous state, for gb_flush_end. Does nothing on processors without such a
 * mode. */
uint64_t gb_flush_begin(void);
void gb_flush_end(uint64_t before);

#endif
